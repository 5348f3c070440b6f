// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/mm.h>
#include "stream/budget.h"

static atomic64_t in_use;
static u64 limit;

void flt_budget_limit(u32 mib)
{
	limit = mib ? (u64)mib << 20 : (u64)totalram_pages() << PAGE_SHIFT >> 2;
}

bool flt_budget_fits(u64 bytes)
{
	return bytes + atomic64_read(&in_use) <= limit;
}

void flt_budget_take(u64 bytes)
{
	atomic64_add(bytes, &in_use);
}

void flt_budget_give(u64 bytes)
{
	atomic64_sub(bytes, &in_use);
}

u64 flt_budget_used(void)
{
	return atomic64_read(&in_use);
}
