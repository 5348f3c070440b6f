// SPDX-License-Identifier: GPL-2.0-only
/* since 6.19, except 7.2: mm_khugepaged_scan_pmd has a PFN */
#include <trace/events/huge_memory.h>

void probe(void *data, struct mm_struct *mm, unsigned long pfn, int referenced, int none_or_zero,
	   int status, int unmapped);

void test(void)
{
	check_trace_callback_type_mm_khugepaged_scan_pmd(probe);
}
