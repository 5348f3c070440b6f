/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard, because trace headers are included more than once. */
#include_next <trace/events/migrate.h>
#include <linux/version.h>

/* Before 6.7 the tracepoint mm_migrate_pages did not count split large folios. */
#undef FLT_MIGRATE_SPLIT
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define FLT_MIGRATE_SPLIT unsigned long thp_split
#else
#define FLT_MIGRATE_SPLIT unsigned long thp_split, unsigned long large_folio_split
#endif
