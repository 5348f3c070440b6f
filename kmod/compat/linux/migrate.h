/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_MIGRATE_H
#define FLT_COMPAT_LINUX_MIGRATE_H

#include_next <linux/migrate.h>
#include <linux/version.h>

/*
 * Return true if a hint fault's migration failed, from the value that
 * migrate_misplaced_folio(), or before 6.7 migrate_misplaced_page(), returned. Before 6.11
 * both functions return 1 on success and 0 on failure. Later kernels return 0 on success and
 * -EAGAIN ("mm/migrate: make migrate_misplaced_folio() return 0 on success"). Only 0 depends
 * on the version.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define flt_migrate_misplaced_failed(value) ((value) <= 0)
#else
#define flt_migrate_misplaced_failed(value) ((value) < 0)
#endif

#endif
