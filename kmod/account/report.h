/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report - snapshots of process rows, threads and sessions for readers.
 *
 * A process's account is the sum over its row (proc.h) and the slots of its live
 * threads (task.h). Every function takes flt_proc_lock for one row at a time, so a walk
 * over the table is not one snapshot: rows may come and go between two calls.
 */
#ifndef FLT_REPORT_H
#define FLT_REPORT_H

#include <linux/sched.h>
#include <linux/types.h>
#include "account/account.h"

struct flt_proc_report {
	u64 id, start, first;	/* as in struct flt_proc */
	pid_t tgid;
	u32 threads;
	bool ended, whole;
	char comm[TASK_COMM_LEN];
	struct flt_account account;
};

struct flt_task_report {
	pid_t tid;
	char comm[TASK_COMM_LEN];
	struct flt_account account;
};

/*
 * Report the first row at or after *@slot that belongs to any of @sessions (0: any row),
 * and set *@slot to its slot. Return 0, or -ENOENT after the last row.
 */
int flt_report_next_proc(u32 *slot, u32 sessions, struct flt_proc_report *report);

/* Report the newest row of @tgid, live or ended. Return 0 or -ESRCH. */
int flt_report_proc(pid_t tgid, struct flt_proc_report *report);

/* Threads per call. Every call scans all threads of the process under the lock. */
#define FLT_TASK_BATCH 16

/*
 * Report the threads of a process in order of TID, from the first TID above @tid, at
 * most FLT_TASK_BATCH of them. Return their number, 0 after the last one, or -ESRCH if
 * the process has no row.
 */
int flt_report_tasks(pid_t tgid, pid_t tid, struct flt_task_report *report);

/*
 * Sum up a session: @rows and @live count its processes (all, and not ended),
 * @untracked its forked children that found the table full.
 */
void flt_report_session(u32 bit, struct flt_account *sum, u32 *rows, u32 *live,
			u64 *untracked);

#endif
