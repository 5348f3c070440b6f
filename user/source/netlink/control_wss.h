/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_wss.h - working-set samples of the flt module. */
#ifndef FLT_SOURCE_CONTROL_WSS_H
#define FLT_SOURCE_CONTROL_WSS_H

#include "account/account.h"
#include "text/errmsg.h"
#include "account/sample.h"

struct flt_control;

struct flt_wss_wish {
	uint64_t interval;	/* ns */
	uint32_t history;	/* samples; here and below 0: the module's default */
	uint32_t budget;	/* percent of a CPU */
	uint64_t cgroup;	/* ID, in place of processes */
	bool follow;
	bool inject;		/* make pages fault instead of reading accessed bits */
};

struct flt_wss_tracker {
	uint32_t targets, live;
	uint64_t untracked, samples, overwritten;
	uint64_t busy;		/* ns */
	uint64_t rounds;	/* completed */
	uint64_t holds[FLT_BUCKETS];	/* of mmap_lock, by duration */
};

/*
 * Track processes, or the cgroup of the config. Errors are those of <linux/flt.h>. The tracker
 * lives as long as the control.
 */
int flt_control_wss_track(struct flt_control *control, const uint32_t *tgids, size_t count,
			  const struct flt_wss_wish *wish, uint32_t *id, struct flt_errmsg *e);
int flt_control_wss_untrack(struct flt_control *control, uint32_t id, struct flt_errmsg *e);
int flt_control_wss_tracker(struct flt_control *control, uint32_t id, struct flt_wss_tracker *out,
			    struct flt_errmsg *e);
/* Append the samples whose key is greater than `after`, ordered by process. */
int flt_control_wss_samples(struct flt_control *control, uint32_t id, uint64_t after,
			    struct flt_samples *out, struct flt_errmsg *e);

#endif
