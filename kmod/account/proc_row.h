/* SPDX-License-Identifier: GPL-2.0-only */
/* proc_row - the row of a process. See proc.h for states, and for the locks that protect it. */
#ifndef FLT_PROC_ROW_H
#define FLT_PROC_ROW_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "account/account.h"
#include "mm/pidns.h"

enum flt_row_state { FLT_ROW_FREE, FLT_ROW_LIVE, FLT_ROW_ENDED };

struct flt_proc {
	struct hlist_node node;		/* chain of the hash by tgid */
	struct rb_node by_id;		/* in the tree of all rows */
	struct list_head age;		/* in the list of ended rows; else empty */
	struct rb_root tasks;		/* slots of live threads, by serial number */
	u64 last_task;			/* serial number of the newest slot */
	u64 id;				/* serial number from 1, never reused; 0: nobody */
	u64 start;			/* CLOCK_BOOTTIME ns: start_boottime of the leader */
	u64 first;			/* CLOCK_MONOTONIC ns: creation of the row */
	u64 cgroup;			/* ID, when a thread left the row last; 0: none has */
	pid_t tgid;
	struct flt_pidns_ids ids;	/* in the PID namespaces below the initial one */
	u32 threads;			/* number of @tasks */
	u32 sessions;			/* bit mask of the sessions that include this row */
	u8 state;			/* enum flt_row_state */
	bool whole;			/* the process started while accounting was on */
	char comm[TASK_COMM_LEN];
	struct flt_account ended;	/* threads that ended or had no slot */
	atomic64_t *cells;		/* counters of ledgers (ledger.h); NULL: none */
	struct rcu_head rcu;
};

/* The row of processes without a row. Its ID and TGID are 0. */
extern struct flt_proc flt_proc_nobody;

#endif
