/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * softdirty.h - which pages of a process were written to since it was last asked.
 *
 * The kernel takes the write permission from all pages, and the fault that brings it
 * back leaves a mark: a fault per page written, and exact. What is mapped since is
 * marked as a whole, and counts once it is there, also if it was only read.
 */
#ifndef FLT_SOURCE_SOFTDIRTY_H
#define FLT_SOURCE_SOFTDIRTY_H

#include <stdint.h>

#include "text/errmsg.h"

/* -EOPNOTSUPP: the kernel takes the request, but marks nothing (CONFIG_MEM_SOFT_DIRTY). */
int flt_softdirty_available(struct flt_errmsg *e);
/* Forgets. -ESRCH */
int flt_softdirty_clear(uint32_t tgid, struct flt_errmsg *e);
/* Bytes that are there and were written to. -ESRCH */
int flt_softdirty_read(uint32_t tgid, uint64_t *bytes, struct flt_errmsg *e);

#endif
