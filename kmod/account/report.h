/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report - snapshots of process rows, threads and sessions for readers.
 *
 * A process's account is the sum over its row (proc.h) and the slots of its live
 * threads (task.h). Locks are held for one row and FLT_TASK_BATCH threads at a time, so
 * rows may come and go meanwhile; each row and thread counts once all the same, see struct
 * flt_proc_walk. All functions may sleep.
 */
#ifndef FLT_REPORT_H
#define FLT_REPORT_H

#include <linux/sched.h>
#include <linux/types.h>
#include "account/account.h"
#include "account/proc.h"
#include "account/retired.h"
#include "account/tally.h"
#include "mm/pidns.h"

struct flt_proc_report {
	u64 id, start, first;	/* as in struct flt_proc */
	u64 cgroup;		/* ID of its v2 cgroup, or of its last one; 0: unknown */
	pid_t tgid;		/* in the namespace of the reader */
	u32 threads;
	bool ended, whole;
	char comm[TASK_COMM_LEN];
	struct flt_account account;
};

struct flt_task_report {
	u64 serial;		/* as in struct flt_task */
	pid_t tid;		/* in the namespace of the reader */
	char comm[TASK_COMM_LEN];
	struct flt_account account;
};

/*
 * Report the first row at or after the cursor that @reader sees, and set the cursor to it.
 * Return 0, or -ENOENT after the last row.
 */
int flt_report_next_proc(const struct flt_pidns *reader, struct flt_proc_cursor *cursor,
			 struct flt_proc_report *report);

/*
 * Report the newest row, live or ended, of the process that @reader knows as @tgid. Return 0 or
 * -ESRCH.
 */
int flt_report_proc(const struct flt_pidns *reader, pid_t tgid, struct flt_proc_report *report);

/* Threads per call, and threads per time that the lock of their row is held. */
#define FLT_TASK_BATCH 16

/*
 * Report the threads of a process in the order in which they were created, from the first
 * one with a serial number above @after, at most FLT_TASK_BATCH of them. Return their
 * number, 0 after the last one, or -ESRCH if the process has no row.
 */
int flt_report_tasks(const struct flt_pidns *reader, pid_t tgid, u64 after,
		     struct flt_task_report *report);

/* Sum up a session. */
void flt_report_session(u32 bit, struct flt_session_sum *sum);

/* Sum up the machine. */
void flt_report_tally(struct flt_tally_sum *sum);
/*
 * Sum up the rows that @reader sees, and set *@rows to their number. Of @sum, only @all is of
 * those processes. Failures by cause are unknown. Losses are those of the machine.
 */
void flt_report_inner(const struct flt_pidns *reader, struct flt_tally_sum *sum, u64 *rows);

#endif
