// SPDX-License-Identifier: GPL-2.0-only
/* since 7.0: mm_migrate_pages has an enum migrate_reason */
#include <linux/migrate.h>
#include <trace/events/migrate.h>

void probe(void *data, unsigned long succeeded, unsigned long failed,
	   unsigned long thp_succeeded, unsigned long thp_failed, unsigned long thp_split,
	   unsigned long large_folio_split, enum migrate_mode mode, enum migrate_reason reason);

void test(void)
{
	check_trace_callback_type_mm_migrate_pages(probe);
}
