// SPDX-License-Identifier: GPL-2.0-only
/* since 6.7: mm_migrate_pages also counts large folios that were split */
#include <linux/migrate.h>
#include <trace/events/migrate.h>

void test(void)
{
	trace_mm_migrate_pages(1, 2, 3, 4, 5, 6, MIGRATE_ASYNC, MR_NUMA_MISPLACED);
}
