/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss_table - trackers, and the slots of the processes that they track.
 *
 * A tracker is one request: processes or a cgroup, an interval and a CPU budget. A
 * process is in at most one tracker, because its accessed bits can serve only one reader.
 * Each slot has a ring of samples. Trackers, slots and rings are bounded.
 *
 * Two locks, taken in this order:
 *   - flt_wss_lock, a mutex, protects trackers, sample rings and the fields of a slot
 *     that flt_wss_table_lock does not protect.
 *   - flt_wss_table_lock, a raw spinlock, serializes taking a free slot (state FREE to
 *     FRESH, with the fields that are set then), tracker.untracked and tracker.closing.
 *     fork() takes a slot in a probe, where it cannot take a mutex. After "closing" is
 *     set, no slot is taken for the tracker.
 * A slot is released only by the work of its tracker, or after that work was cancelled.
 * So the work may read the slots of its tracker without a lock.
 */
#ifndef FLT_WSS_TABLE_H
#define FLT_WSS_TABLE_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "account/report.h"
#include "mm/pidns.h"
#include "wss/sample.h"

#define FLT_WSS_MAX_TRACKERS 16
#define FLT_WSS_MAX_TARGETS 64
#define FLT_WSS_NAMED_TARGETS (FLT_WSS_MAX_TARGETS / 4)	/* slots for named processes only */

struct flt_wss_tracker {
	u32 id;			/* 0: free; never reused */
	struct sock *owner;	/* holds a reference */
	struct flt_pidns reader;	/* its PID namespace when it created the tracker */
	struct flt_wss_config config;
	bool closing;
	bool stretched;		/* the budget delayed the current round */
	u64 due;		/* ns: scheduled start of the current round */
	u64 last_key, overwritten, busy;
	u64 rounds;		/* completed */
	u64 untracked;		/* processes that found no free slot */
	u64 holds[FLT_BUCKETS];	/* written by the work only; each entry is read on its own */
	struct delayed_work work;
	/* Scratch memory of the work. */
	struct flt_wss_scan scan;
	struct flt_proc_report proc;
};

enum flt_wss_state {
	TARGET_FREE,
	TARGET_FRESH,		/* taken, not scanned yet */
	TARGET_LIVE,		/* has a sample ring */
	TARGET_ENDED		/* the process ended or left the cgroup; samples are kept */
};

/* Sums over the life of the process, to be subtracted from those of the next scan. */
struct flt_wss_totals {
	u64 first_touch, refault, major;	/* bytes */
	bool known;		/* accounting was on */
};

struct flt_wss_target {
	enum flt_wss_state state;
	struct flt_wss_tracker *tracker;
	struct pid *pid;
	u64 serial;		/* never reused */
	u32 tgid;
	u64 start;
	char comm[TASK_COMM_LEN];
	/* Address space of the last scan. The reference prevents reuse of the pointer. */
	struct mm_struct *mm;
	u64 scanned;		/* ns: when all accessed bits were clear; 0: never */
	struct flt_wss_totals totals;
	u64 made;		/* samples ever made; the last is at (made - 1) % history */
	struct flt_wss_sample *ring;
};

extern struct mutex flt_wss_lock;
extern raw_spinlock_t flt_wss_table_lock;
extern struct flt_wss_target flt_wss_targets[FLT_WSS_MAX_TARGETS];

#define flt_wss_for_each_target(t)						\
	for ((t) = flt_wss_targets; (t) < flt_wss_targets + FLT_WSS_MAX_TARGETS; (t)++)

/* Return the slot of a live process, or NULL. Caller holds flt_wss_table_lock. */
struct flt_wss_target *flt_wss_find_target(const struct pid *pid);

/*
 * Take a slot for a process whose accessed bits were clear at @born (ns; 0: never). @found: the
 * process was not named by the request, but was forked or is in the cgroup. Such processes leave
 * a quarter of the slots to those that requests name. Return NULL if there is no slot. Caller
 * holds flt_wss_table_lock.
 */
struct flt_wss_target *flt_wss_take_target(struct flt_wss_tracker *tr, struct pid *pid,
					   u64 born, bool found);

/*
 * Free a slot. Caller holds flt_wss_lock and is the work of the tracker, or that work has
 * been cancelled.
 */
void flt_wss_release_target(struct flt_wss_target *t);

/*
 * Allow access again to all pages of @t that were made PROT_NONE. Caller is the work of
 * the tracker, or that work has been cancelled. Caller does not hold flt_wss_lock. Sleeps.
 */
void flt_wss_restore_target(struct flt_wss_target *t);

/* Append a sample and set its key, index and round. Caller holds flt_wss_lock. */
void flt_wss_store_sample(struct flt_wss_target *t, const struct flt_wss_sample *sample);

#endif
