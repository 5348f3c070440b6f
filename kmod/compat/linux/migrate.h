/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_MIGRATE_H
#define FLT_COMPAT_LINUX_MIGRATE_H

#include_next <linux/migrate.h>
#include <flt_compat.h>

/*
 * Return true if a hint fault's migration failed, from the value that
 * migrate_misplaced_folio(), or before 6.7 migrate_misplaced_page(), returned. Before 6.11
 * both functions return 1 on success and 0 on failure. Later kernels return 0 on success and
 * -EAGAIN ("mm/migrate: make migrate_misplaced_folio() return 0 on success"). The next patch
 * of that series added migrate_misplaced_folio_prepare(), which shows what 0 means.
 */
#if FLT_HAVE_MIGRATE_MISPLACED_PREPARE
#define flt_migrate_misplaced_failed(value) ((value) < 0)
#else
#define flt_migrate_misplaced_failed(value) ((value) <= 0)
#endif

/* Until 5.12 a hint fault moved a huge page with migrate_misplaced_transhuge_page(). */
#define FLT_MIGRATE_HUGE_APART \
	(FLT_HAVE_MIGRATE_MISPLACED_HUGE && IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))

#endif
