// SPDX-License-Identifier: GPL-2.0-only
/* until 6.6: mm_khugepaged_scan_file has a struct page and a struct file */
#include <trace/events/huge_memory.h>

void probe(void *data, struct mm_struct *mm, struct page *page, struct file *file, int present,
	   int swap, int result);

void test(void)
{
	check_trace_callback_type_mm_khugepaged_scan_file(probe);
}
