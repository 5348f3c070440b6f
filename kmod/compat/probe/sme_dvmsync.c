// SPDX-License-Identifier: GPL-2.0-only
/* flush_tlb_mm() of arm64 calls sme_do_dvmsync() */
#include <asm/tlbflush.h>

void test(const struct cpumask *mask)
{
	sme_do_dvmsync(mask);
}
