/* SPDX-License-Identifier: GPL-2.0-or-later */
/* swap.h - swap for the memory that a limit evicts. */
#ifndef FLT_LIMIT_SWAP_H
#define FLT_LIMIT_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "limit/journal.h"
#include "text/errmsg.h"

#define FLT_SWAP_NAME 32

/* Return true if the machine has swap. */
bool flt_swap_exists(void);

/*
 * If the machine has no swap, create a compressed RAM disk (zram) as large as the memory, and swap
 * to it. name receives its name, FLT_SWAP_NAME bytes, or "" if the machine had swap. The journal
 * notes the device. Return 0 or -errno: -EOPNOTSUPP without zram, -EPERM without CAP_SYS_ADMIN.
 */
int flt_swap_make(struct flt_journal *journal, char *name, struct flt_errmsg *e);

/*
 * Let each swap-in read one page only (vm.page-cluster), so that each page that comes back is a
 * fault of its own. The journal notes the old value. Return 0 or -errno.
 */
int flt_swap_single_pages(struct flt_journal *journal, struct flt_errmsg *e);

#endif
