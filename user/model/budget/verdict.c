// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/budget/verdict.h"

const char *flt_budget_verdict_name(enum flt_budget_verdict verdict)
{
	static const char *const names[] = {
		[FLT_BUDGET_KEPT] = "kept",
		[FLT_BUDGET_BROKEN] = "broken",
		[FLT_BUDGET_UNMEASURED] = "unmeasured",
	};

	return names[verdict];
}

/* Set the smallest and the largest count that keep the rule. The range may be empty. */
static void allowed(const struct flt_rule *r, uint64_t *least, uint64_t *most)
{
	*least = 0;
	*most = ~0ull;
	switch (r->op) {
	case FLT_BUDGET_EQUAL:
		*least = *most = r->limit;
		break;
	case FLT_BUDGET_LESS:
		*most = r->limit - 1;
		*least = !r->limit;	/* nothing is less than 0 */
		*most = r->limit ? *most : 0;
		break;
	case FLT_BUDGET_AT_MOST:
		*most = r->limit;
		break;
	case FLT_BUDGET_MORE:
		*least = r->limit + 1;
		break;
	case FLT_BUDGET_AT_LEAST:
		*least = r->limit;
		break;
	}
}

uint64_t flt_budget_most(const struct flt_rule *r)
{
	uint64_t least, most;

	allowed(r, &least, &most);
	return most;
}

enum flt_budget_verdict flt_budget_judge(const struct flt_rule *r, uint64_t least, uint64_t most)
{
	uint64_t from, to;

	allowed(r, &from, &to);
	if (from > to || least > to || most < from)
		return FLT_BUDGET_BROKEN;
	return least >= from && most <= to ? FLT_BUDGET_KEPT : FLT_BUDGET_UNMEASURED;
}

uint64_t flt_budget_slack(uint64_t largest, uint64_t percent)
{
	return largest + (largest * percent + 99) / 100;
}
