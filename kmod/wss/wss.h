/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss - working sets: processes whose accessed bits are read and cleared at
 * intervals, and the samples that makes.
 *
 * A tracker is what one request asked for: processes or a cgroup, an interval, a share
 * of a CPU not to exceed. Its work scans its processes one after another. A process is in one
 * tracker only, since an accessed bit can tell only one reader. Samples lie in a ring
 * per process. All is bounded: trackers, processes, rings; a child that finds the
 * table full is counted.
 *
 * Locks: a mutex for rings and trackers, in process context; a raw spinlock for
 * taking a free slot, which is all that fork does. A slot is given back only by its
 * tracker's work, or when that can run no more.
 */
#ifndef FLT_WSS_H
#define FLT_WSS_H

#include <linux/sched.h>
#include <linux/types.h>
#include "wss/scan.h"

struct flt_hook;

#define FLT_WSS_MAX_TRACKERS 16
#define FLT_WSS_MAX_TARGETS 64

struct flt_wss_config {
	u64 interval;		/* ns */
	u32 history;		/* samples per process */
	u32 budget;		/* per cent of one CPU */
	u64 cgroup;		/* ID; 0: processes by number */
	bool follow;
	bool inject;		/* withhold pages, in place of taking accessed bits */
};

struct flt_wss_sample {
	u64 key;		/* rises within a tracker, from 1 */
	u64 index;		/* of the process, from 1: a gap was overwritten */
	u64 round;		/* of the tracker, from 1 */
	u64 time;		/* CLOCK_MONOTONIC ns, when the scan began */
	u64 window;		/* ns since the scan before began */
	struct flt_wss_scan scan;
	u64 first_touch, refault, major;	/* bytes in the window */
	bool accounted;		/* the three are known */
};

struct flt_wss_report {
	u32 id;			/* of the tracker */
	u32 tgid;
	u64 start;
	bool ended;
	char comm[TASK_COMM_LEN];
	struct flt_wss_sample sample;
};

struct flt_wss_status {
	u32 id, targets, live;
	u64 untracked;		/* children that found the table full; see take_in() */
	u64 rounds;		/* that are over */
	u64 samples, overwritten;
	u64 busy;		/* ns that scans took */
	u64 holds[FLT_BUCKETS];	/* of mmap_lock, by ns */
	struct flt_wss_config config;
};

/* @fork is armed while a tracker follows. */
int flt_wss_init(struct flt_hook *fork);
void flt_wss_exit(void);

/*
 * Errors: -ENOSPC all trackers or all slots are taken, -ESRCH no such process,
 * -EINVAL it has no memory of its own (a kernel thread), -EBUSY it is tracked
 * already, -ENOMEM.
 */
int flt_wss_track(u32 owner, const u32 *tgids, u32 count, const struct flt_wss_config *config,
		  u32 *id);
/* -ENOENT, -EACCES another socket's. */
int flt_wss_untrack(u32 owner, u32 id);
void flt_wss_untrack_all(u32 owner);

int flt_wss_status(u32 id, struct flt_wss_status *status);

/* Where a reader of samples is. */
struct flt_wss_cursor {
	u32 id;			/* the tracker */
	u32 slot;
	u64 serial, index;	/* of that slot's process, and how many samples were passed */
	u64 after, last;	/* keys */
};
/* -ENOENT past the last; to go on behind a sample, raise cursor->index by one. */
int flt_wss_next(struct flt_wss_cursor *cursor, struct flt_wss_report *report);
/* The last sample of the first process with one at or after *@slot. */
int flt_wss_latest(u32 *slot, struct flt_wss_report *report);
/* -ENOENT; else the last key. */
int flt_wss_last_key(u32 id, u64 *key);

/* At fork, preemption off. */
void flt_wss_fork(struct task_struct *parent, struct task_struct *child);

#endif
