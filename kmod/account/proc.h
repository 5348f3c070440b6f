/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc - one row per process, from its first counted fault to its end and, while
 * there is room, beyond.
 *
 * Rows and thread slots (task.h) come from two arrays allocated at load: nothing
 * is allocated in a probe and the bound is plain. One raw lock guards both
 * tables. It is taken when a thread faults for the first time, at fork in a
 * followed process, at exec, at exit and by readers; never by a thread's further
 * faults, and never with a page fault possible under it.
 *
 * Life of a row:  FREE -> LIVE (first fault, or fork) -> ENDED (last thread
 * exited) -> FREE (room is needed: the oldest ended row is folded into
 * "retired"). Key: tgid and start time of the group leader, since PIDs return.
 */
#ifndef FLT_PROC_H
#define FLT_PROC_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "account/account.h"

#define FLT_ROW_SESSIONS 32	/* bits of flt_proc.sessions */

enum flt_row_state { FLT_ROW_FREE, FLT_ROW_LIVE, FLT_ROW_ENDED };

struct flt_proc {
	struct hlist_node node;		/* by tgid; LIVE and ENDED */
	struct list_head age;		/* free list, or ended rows, oldest first */
	struct list_head tasks;		/* slots of live threads */
	u64 id;				/* serial number, from 1 */
	u64 start;			/* CLOCK_BOOTTIME ns, as task->start_boottime */
	u64 first;			/* CLOCK_MONOTONIC ns, when the row was made */
	pid_t tgid;
	u32 threads;			/* length of @tasks */
	u32 sessions;			/* bit per session that sums this row */
	u8 state;
	bool whole;			/* born while accounting was on */
	char comm[TASK_COMM_LEN];
	struct flt_account ended;	/* threads that ended, or found no slot */
};

/* What a reader gets of a row. */
struct flt_proc_report {
	u64 id, start, first;
	pid_t tgid;
	u32 threads;
	bool ended, whole;
	char comm[TASK_COMM_LEN];
	struct flt_account account;
};

struct flt_proc_usage {
	u32 rows, rows_max;
	u64 seen, retired;
	u64 generation;		/* grows with every row retired */
	struct flt_account account;	/* of the rows retired */
};

extern raw_spinlock_t flt_proc_lock;

int flt_proc_init(u32 rows);
void flt_proc_exit(void);
size_t flt_proc_memory(void);

/* All below to be called under flt_proc_lock. */

/* The row of @task's process; made, if there is none. NULL: the table is full. */
struct flt_proc *flt_proc_of(struct task_struct *task);
struct flt_proc *flt_proc_find(pid_t tgid, u64 start);
/* The youngest row with that PID, live or ended. */
struct flt_proc *flt_proc_find_tgid(pid_t tgid);
void flt_proc_end(struct flt_proc *proc);
/* The row to charge @task's process with, ended perhaps; NULL: none is left, or it is too late. */
struct flt_proc *flt_proc_charge(struct task_struct *task);

/* These take the lock themselves. */

/* Accounting begins (now, in CLOCK_BOOTTIME ns) or ends; all rows end with it. */
void flt_proc_watch(u64 since);
void flt_proc_unwatch(void);
/* Whether @task was born while watched: then all its faults should be known. */
bool flt_proc_watched(const struct task_struct *task);
bool flt_proc_watching(void);

/* First row at or after *@slot with any of @sessions (0: any row); -ENOENT past the last. */
int flt_proc_next(u32 *slot, u32 sessions, struct flt_proc_report *report);
int flt_proc_read(pid_t tgid, struct flt_proc_report *report);
void flt_proc_usage(struct flt_proc_usage *usage);
u64 flt_proc_generation(void);
/* The place of a row in the table, for tables beside it; below flt_proc_rows(). */
u32 flt_proc_slot(const struct flt_proc *proc);
u32 flt_proc_rows(void);

/* Sums of sessions: rows retired keep counting in them. */
void flt_proc_session_open(u32 bit);
void flt_proc_session_close(u32 bit);
void flt_proc_session_read(u32 bit, struct flt_account *sum, u32 *rows, u32 *live,
			   u64 *untracked);
/* -ENOSPC: the table is full. */
int flt_proc_session_add(u32 bit, struct task_struct *task);
/* At fork: @child's row inherits the sessions of @parent's. */
void flt_proc_inherit(struct task_struct *parent, struct task_struct *child, u32 sessions);
void flt_proc_rename(struct task_struct *task);
/* The sessions of @task's row; 0 without one. */
u32 flt_proc_sessions(const struct task_struct *task);

#endif
