/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * idle.h - /sys/kernel/mm/page_idle/bitmap, by way of /proc/PID/pagemap.
 *
 * For kernels with CONFIG_IDLE_PAGE_TRACKING. The marks belong to pages, not to
 * processes: a page that another process uses is not idle either. A page that is
 * freed or mapped anew since it was marked counts as used.
 */
#ifndef FLT_SOURCE_IDLE_H
#define FLT_SOURCE_IDLE_H

#include "text/errmsg.h"
#include "account/sample.h"

struct flt_idle;

/* -EOPNOTSUPP: this kernel does not have it. */
int flt_idle_open(struct flt_idle **idle, struct flt_errmsg *e);
void flt_idle_close(struct flt_idle *idle);

/* Marks all pages of the process idle. -ESRCH */
int flt_idle_mark(struct flt_idle *idle, uint32_t tgid, struct flt_errmsg *e);
/* Fills RSS (pages in the pagemap) and referenced (those not idle). */
int flt_idle_read(struct flt_idle *idle, uint32_t tgid, struct flt_sample *sample,
		  struct flt_errmsg *e);

#endif
