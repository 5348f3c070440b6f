/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * idle.h - measure a working set with /sys/kernel/mm/page_idle/bitmap and
 * /proc/PID/pagemap.
 *
 * Needs CONFIG_IDLE_PAGE_TRACKING. Idle bits belong to pages, not to processes: a page used by
 * another process is not idle. A page freed or mapped since it was marked counts as used.
 */
#ifndef FLT_SOURCE_IDLE_H
#define FLT_SOURCE_IDLE_H

#include "text/errmsg.h"
#include "account/sample.h"

struct flt_idle;

/* -EOPNOTSUPP: the kernel has no idle page tracking. */
int flt_idle_open(struct flt_idle **idle, struct flt_errmsg *e);
void flt_idle_close(struct flt_idle *idle);

/* Mark all pages of the process idle. -ESRCH */
int flt_idle_mark(struct flt_idle *idle, uint32_t tgid, struct flt_errmsg *e);
/* Fill RSS (pages in the pagemap) and referenced (pages that are not idle). */
int flt_idle_read(struct flt_idle *idle, uint32_t tgid, struct flt_sample *sample,
		  struct flt_errmsg *e);

#endif
