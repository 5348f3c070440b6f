// SPDX-License-Identifier: GPL-2.0-only
/* until 6.15: mm_khugepaged_scan_pmd has a struct page */
#include <trace/events/huge_memory.h>

void probe(void *data, struct mm_struct *mm, struct page *page, bool writable, int referenced,
	   int none_or_zero, int status, int unmapped);

void test(void)
{
	check_trace_callback_type_mm_khugepaged_scan_pmd(probe);
}
