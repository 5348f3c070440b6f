/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * softdirty.h - find the pages that a process has written since the last reading.
 *
 * The kernel write-protects all pages, and the fault of a write sets a bit. The count is exact and
 * costs one fault per written page. A mapping created since the last reading is marked as a
 * whole, so its present pages count even if they were only read.
 */
#ifndef FLT_SOURCE_SOFTDIRTY_H
#define FLT_SOURCE_SOFTDIRTY_H

#include <stdint.h>

#include "text/errmsg.h"

/* -EOPNOTSUPP: the kernel accepts the request but has no CONFIG_MEM_SOFT_DIRTY. */
int flt_softdirty_available(struct flt_errmsg *e);
/* Clear all bits. -ESRCH */
int flt_softdirty_clear(uint32_t tgid, struct flt_errmsg *e);
/* Count the bytes of present pages that were written. -ESRCH */
int flt_softdirty_read(uint32_t tgid, uint64_t *bytes, struct flt_errmsg *e);

#endif
