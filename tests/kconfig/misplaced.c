// SPDX-License-Identifier: GPL-2.0-or-later
/* Check at compile time how failed migrations are recognized. ZERO_FAILS: 1 before 6.11. */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/migrate.h>

static_assert(flt_migrate_misplaced_failed(0) == ZERO_FAILS);
static_assert(flt_migrate_misplaced_failed(-EAGAIN));
static_assert(!flt_migrate_misplaced_failed(1));
