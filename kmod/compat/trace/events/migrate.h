/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard, because trace headers are included more than once. */
#include_next <trace/events/migrate.h>
#include <flt_compat.h>

/*
 * Before 6.7 the tracepoint mm_migrate_pages did not count split large folios. flt does not use a
 * tracepoint with an unknown prototype.
 */
#define FLT_MIGRATE_FITS \
	(FLT_HAVE_MIGRATE_SPLIT || FLT_HAVE_MIGRATE_LARGE_SPLIT || FLT_HAVE_MIGRATE_REASON)
#undef FLT_MIGRATE_SPLIT
#if FLT_HAVE_MIGRATE_LARGE_SPLIT || FLT_HAVE_MIGRATE_REASON
#define FLT_MIGRATE_SPLIT unsigned long thp_split, unsigned long large_folio_split
#else
#define FLT_MIGRATE_SPLIT unsigned long thp_split
#endif

#undef FLT_MIGRATE_REASON
#if FLT_HAVE_MIGRATE_REASON
#define FLT_MIGRATE_REASON enum migrate_reason
#else
#define FLT_MIGRATE_REASON int
#endif

#undef flt_check_migrate
#if FLT_MIGRATE_FITS
#define flt_check_migrate(probe) check_trace_callback_type_mm_migrate_pages(probe)
#else
#define flt_check_migrate(probe) ((void)(probe))
#endif
