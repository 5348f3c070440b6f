/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * damon.h - the kernel's data access monitor, one kdamond of ours.
 *
 * DAMON looks at one page of a region of many and takes it for all: the figure is
 * an estimate, cheap whatever the size, and coarse. Taken from /sys/kernel/mm/damon,
 * which must not be in use by others.
 */
#ifndef FLT_SOURCE_DAMON_H
#define FLT_SOURCE_DAMON_H

#include "text/errmsg.h"
#include "account/sample.h"

struct flt_damon;

/* -EOPNOTSUPP: this kernel does not have it, or not all that it takes; -EBUSY: somebody uses it. */
int flt_damon_available(struct flt_errmsg *e);
/* Watches one process in windows of window ns. */
int flt_damon_open(struct flt_damon **damon, uint32_t tgid, uint64_t window, struct flt_errmsg *e);
/*
 * Fills referenced: bytes of the regions with an access in the last whole window; that
 * window, for which it may have to wait; and what DAMON's thread took since the last
 * call. -ESRCH: the process is gone; -ECANCELED: somebody turned it off.
 */
int flt_damon_read(struct flt_damon *damon, struct flt_sample *sample, struct flt_errmsg *e);
void flt_damon_close(struct flt_damon *damon);

#endif
