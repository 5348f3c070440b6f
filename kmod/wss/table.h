/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss_table - the trackers and their processes: what wss.c, which others ask, shares
 * with wss_round.c, which does the work.
 */
#ifndef FLT_WSS_TABLE_H
#define FLT_WSS_TABLE_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "account/report.h"
#include "wss/wss.h"

struct flt_wss_tracker {
	u32 id;			/* 0: free; never reused */
	u32 owner;		/* port ID of the socket */
	struct flt_wss_config config;
	bool closing;
	bool stretched;		/* the round under way, by the budget */
	u64 due;		/* ns, the round under way */
	u64 last_key, overwritten, busy;
	u64 rounds;		/* that are over */
	u64 untracked;		/* under table_lock */
	u64 holds[FLT_BUCKETS];	/* the work adds to them; read at any time, each by itself */
	struct delayed_work work;
	/* Of the work alone. */
	struct flt_wss_scan scan;
	struct flt_proc_report proc;
};

enum flt_wss_state { TARGET_FREE, TARGET_FRESH, TARGET_LIVE, TARGET_ENDED };

struct flt_wss_totals {
	u64 first_touch, refault, major;	/* bytes */
	bool known;
};

struct flt_wss_target {
	enum flt_wss_state state;
	struct flt_wss_tracker *tracker;
	struct pid *pid;
	u64 serial;		/* never reused */
	u32 tgid;
	u64 start;
	char comm[TASK_COMM_LEN];
	/* The address space of the last scan: to be compared with, pinned against reuse. */
	struct mm_struct *mm;
	u64 scanned;		/* ns, when accessed bits were last clear; 0: never */
	struct flt_wss_totals totals;
	u64 made;		/* samples; the last is at (made - 1) % history */
	struct flt_wss_sample *ring;
};

/* In process context: trackers, and of a target all that the other does not guard. */
extern struct mutex flt_wss_lock;
/* State FREE to FRESH, with what that fills in; and closing, which ends it. */
extern raw_spinlock_t flt_wss_table_lock;
extern struct flt_wss_target flt_wss_targets[FLT_WSS_MAX_TARGETS];
extern struct workqueue_struct *flt_wss_workers;

#define flt_wss_for_each_target(t)						\
	for ((t) = flt_wss_targets; (t) < flt_wss_targets + FLT_WSS_MAX_TARGETS; (t)++)

/*
 * Under table_lock. The slot of a process that is tracked; a new one, whose accessed
 * bits were clear at @born (0: never), or NULL: none is left.
 */
struct flt_wss_target *flt_wss_find_target(const struct pid *pid);
struct flt_wss_target *flt_wss_take_slot(struct flt_wss_tracker *tr, struct pid *pid, u64 born);

/*
 * What was withheld of @t. By the tracker's work, or when that runs no more, and not
 * under flt_wss_lock. Sleeps.
 */
void flt_wss_give_back(struct flt_wss_target *t);

/* Under flt_wss_lock, by the tracker's work, or when that runs no more. */
void flt_wss_give(struct flt_wss_target *t);

/* A tracker's work: each of its processes once, and then itself again. */
void flt_wss_round(struct work_struct *work);

#endif
