/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss - working sets: requests to track processes, and to read their samples.
 *
 * A tracker scans the page tables of its processes at intervals and keeps a sample of
 * each scan. See table.h for trackers, slots and locks, round.h for the work of a
 * tracker, and scan.h for a scan.
 */
#ifndef FLT_WSS_H
#define FLT_WSS_H

#include <linux/sched.h>
#include <linux/types.h>
#include "wss/sample.h"

struct flt_hook;
struct sock;

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
	u64 untracked;		/* processes that found no free slot */
	u64 rounds;		/* completed */
	u64 samples, overwritten;
	u64 busy;		/* ns spent in scans with mmap_lock held */
	u64 holds[FLT_BUCKETS];	/* histogram of ns per hold of mmap_lock */
	struct flt_wss_config config;
};

/* @fork is armed while a tracker follows forks. */
int flt_wss_init(struct flt_hook *fork);
void flt_wss_exit(void);

/*
 * Create a tracker of @count processes, or of config->cgroup, for the netlink socket @owner,
 * and set its ID. The tracker holds a reference to the socket. Return 0 or
 *   -ENOSPC  all trackers or all slots are taken
 *   -ESRCH   a process does not exist
 *   -EINVAL  a process is a kernel thread, which has no memory of its own
 *   -EBUSY   a process is tracked already
 *   -ENOMEM, or the error of arming the fork hook
 */
int flt_wss_track(struct sock *owner, const u32 *tgids, u32 count,
		  const struct flt_wss_config *config, u32 *id);
/* Remove a tracker. Return 0, -ENOENT, or -EACCES if another socket owns it. */
int flt_wss_untrack(const struct sock *owner, u32 id);
/* Remove the trackers whose sockets were closed. */
void flt_wss_untrack_orphans(void);

/* Return the number of trackers. */
u32 flt_wss_count(void);

/* Return the bytes of all samples. Sleeps. */
size_t flt_wss_memory(void);

/* Return 0 or -ENOENT. */
int flt_wss_status(u32 id, struct flt_wss_status *status);

/* Position of a reader of the samples of one tracker; all 0 but the ID to begin with. */
struct flt_wss_cursor {
	u32 id;			/* the tracker */
	u32 slot;
	u64 serial, index;	/* process in that slot; number of its samples already read */
	u64 after, last;	/* read samples with after < key <= last */
};
/*
 * Report the next sample, in order of slots. Return 0, or -ENOENT after the last one. The
 * caller adds 1 to cursor->index to continue after the sample.
 */
int flt_wss_next(struct flt_wss_cursor *cursor, struct flt_wss_report *report);
/*
 * Report the latest sample of the first process at or after *@slot that has one, and set
 * *@slot. Return 0 or -ENOENT.
 */
int flt_wss_latest(u32 *slot, struct flt_wss_report *report);
/* Get the key of the last sample of a tracker. Return 0 or -ENOENT. */
int flt_wss_last_key(u32 id, u64 *key);

/* Track @child if the tracker of @parent follows forks. Call at fork with preemption off. */
void flt_wss_fork(struct task_struct *parent, struct task_struct *child);

#endif
