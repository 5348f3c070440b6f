// SPDX-License-Identifier: GPL-2.0-only
/* since 7.3: mm_collapse_huge_page has the order of the folio */
#include <trace/events/huge_memory.h>

void probe(void *data, struct mm_struct *mm, int isolated, int status, unsigned int order);

void test(void)
{
	check_trace_callback_type_mm_collapse_huge_page(probe);
}
