// SPDX-License-Identifier: GPL-2.0-only
/* in 7.2: mm_khugepaged_scan_file has a struct folio */
#include <trace/events/huge_memory.h>

void probe(void *data, struct mm_struct *mm, struct folio *folio, struct file *file, int present,
	   int swap, int result);

void test(void)
{
	check_trace_callback_type_mm_khugepaged_scan_file(probe);
}
