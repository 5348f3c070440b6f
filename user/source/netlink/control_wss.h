/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_wss.h - working sets as the flt module samples them. */
#ifndef FLT_SOURCE_CONTROL_WSS_H
#define FLT_SOURCE_CONTROL_WSS_H

#include "account/account.h"
#include "text/errmsg.h"
#include "account/sample.h"

struct flt_control;

struct flt_wss_wish {
	uint64_t interval;	/* ns */
	uint32_t history;	/* samples; 0: the module's default, likewise below */
	uint32_t budget;	/* per cent of a CPU */
	uint64_t cgroup;	/* in place of processes: its ID */
	bool follow;
	bool inject;		/* pages that fault in place of accessed bits */
};

struct flt_wss_tracker {
	uint32_t targets, live;
	uint64_t untracked, samples, overwritten;
	uint64_t busy;		/* ns */
	uint64_t rounds;	/* that are over */
	uint64_t holds[FLT_BUCKETS];	/* of mmap_lock, by how long */
};

/* Errors are those of <linux/flt.h>; no tgids with a cgroup. The tracker lives as long as the control. */
int flt_control_wss_track(struct flt_control *control, const uint32_t *tgids, size_t count,
			  const struct flt_wss_wish *wish, uint32_t *id, struct flt_errmsg *e);
int flt_control_wss_untrack(struct flt_control *control, uint32_t id, struct flt_errmsg *e);
int flt_control_wss_tracker(struct flt_control *control, uint32_t id, struct flt_wss_tracker *out,
			    struct flt_errmsg *e);
/* Adds the samples with a key greater than after, process by process. */
int flt_control_wss_samples(struct flt_control *control, uint32_t id, uint64_t after,
			    struct flt_samples *out, struct flt_errmsg *e);

/* As flt_control_proc(), with kinds. */
int flt_control_proc_kinds(struct flt_control *control, uint32_t tgid, struct flt_row *out,
			   struct flt_errmsg *e);

#endif
