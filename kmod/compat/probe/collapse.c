// SPDX-License-Identifier: GPL-2.0-only
/* until 7.2: mm_collapse_huge_page does not have the order of the folio */
#include <trace/events/huge_memory.h>

void probe(void *data, struct mm_struct *mm, int isolated, int status);

void test(void)
{
	check_trace_callback_type_mm_collapse_huge_page(probe);
}
