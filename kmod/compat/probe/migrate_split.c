// SPDX-License-Identifier: GPL-2.0-only
/* until 6.6: mm_migrate_pages counts huge pages that were split, but no other folios */
#include <linux/migrate.h>
#include <trace/events/migrate.h>

void probe(void *data, unsigned long succeeded, unsigned long failed,
	   unsigned long thp_succeeded, unsigned long thp_failed, unsigned long thp_split,
	   enum migrate_mode mode, int reason);

void test(void)
{
	check_trace_callback_type_mm_migrate_pages(probe);
}
