/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * damon.h - estimate a working set with the kernel's data access monitor.
 *
 * DAMON checks one page of a region and assumes the same for all pages of the region. The
 * estimate is coarse, and its cost does not depend on the size. Uses /sys/kernel/mm/damon, which
 * must not be in use, with one kdamond.
 */
#ifndef FLT_SOURCE_DAMON_H
#define FLT_SOURCE_DAMON_H

#include "text/errmsg.h"
#include "account/sample.h"

struct flt_damon;

/* -EOPNOTSUPP: the kernel has no DAMON or lacks a file; -EBUSY: DAMON is in use. */
int flt_damon_available(struct flt_errmsg *e);
/* Watch one process in windows of window ns. */
int flt_damon_open(struct flt_damon **damon, uint32_t tgid, uint64_t window, struct flt_errmsg *e);
/*
 * Fill referenced (bytes of regions with an access in the last complete window), window, and
 * duration (CPU time of kdamond since the last call). Wait for the end of a window if
 * necessary. -ESRCH: the process has ended; -ECANCELED: another user turned DAMON off.
 */
int flt_damon_read(struct flt_damon *damon, struct flt_sample *sample, struct flt_errmsg *e);
void flt_damon_close(struct flt_damon *damon);

#endif
