// SPDX-License-Identifier: GPL-2.0-only
/* flush_tlb_mm() of arm64 calls __mmu_notifier_arch_invalidate_secondary_tlbs() */
#include <linux/mmu_notifier.h>

void test(struct mm_struct *mm)
{
	mmu_notifier_arch_invalidate_secondary_tlbs(mm, 0, -1UL);
}
