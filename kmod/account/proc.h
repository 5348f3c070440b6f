/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc - one row per process, from its first counted fault until it ends, and after
 * that for as long as the table has room.
 *
 * Rows and thread slots (task.h) come from two arrays that are allocated at load, so
 * probes do not allocate memory and the bound is fixed. One raw spinlock, flt_proc_lock,
 * protects both tables. It is taken at the first fault of a thread, at fork in a session
 * with FOLLOW, at exec, at exit and by readers. Later faults of a thread with a slot do
 * not take it, and no page fault can happen while it is held.
 *
 * States of a row:
 *   FREE -> LIVE    first fault of the process, or fork() in a session with FOLLOW
 *   LIVE -> ENDED   the last thread exited
 *   ENDED -> FREE   a row is needed: the oldest ended row is added to "retired"
 * The key is the TGID and the start time of the group leader, because PIDs are reused.
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
	struct hlist_node node;		/* chain of the hash by tgid; LIVE and ENDED rows */
	struct list_head age;		/* free list, or list of ended rows, oldest first */
	struct list_head tasks;		/* slots of live threads */
	u64 id;				/* serial number from 1, never reused */
	u64 start;			/* CLOCK_BOOTTIME ns: start_boottime of the leader */
	u64 first;			/* CLOCK_MONOTONIC ns: creation of the row */
	pid_t tgid;
	u32 threads;			/* length of @tasks */
	u32 sessions;			/* bit mask of the sessions that include this row */
	u8 state;			/* enum flt_row_state */
	bool whole;			/* the process started while accounting was on */
	char comm[TASK_COMM_LEN];
	struct flt_account ended;	/* threads that ended or had no slot */
};

struct flt_proc_usage {
	u32 rows, rows_max;	/* rows in use, ended ones included */
	u64 seen, retired;	/* rows ever created, and retired */
	u64 generation;		/* changes whenever a row is retired */
	struct flt_account account;	/* sum of the retired rows */
};

extern raw_spinlock_t flt_proc_lock;

int flt_proc_init(u32 rows);
void flt_proc_exit(void);
size_t flt_proc_memory(void);

/* Caller holds flt_proc_lock for the functions from here to flt_proc_session_retired(). */

/*
 * Return the row of @task's process. Create it if there is none, and make it LIVE again
 * if it has ended. Return NULL if all rows are LIVE.
 */
struct flt_proc *flt_proc_get(struct task_struct *task);
/* Return the row of a process, live or ended, or NULL. */
struct flt_proc *flt_proc_find(pid_t tgid, u64 start);
/* Return the newest row with this TGID, live or ended, or NULL. */
struct flt_proc *flt_proc_find_tgid(pid_t tgid);
/* Make a LIVE row ENDED. */
void flt_proc_end(struct flt_proc *proc);
/*
 * Return the row to charge a fault to that belongs to no thread slot. The row may have
 * ended. Return NULL if the table is full, or if @task is exiting and has no row.
 */
struct flt_proc *flt_proc_find_charge(struct task_struct *task);
/* Copy the name of @task, which is terminated even if another CPU changes it. */
void flt_proc_copy_comm(char *comm, const struct task_struct *task);
/* Add the retired rows of a session to @sum, and set the counts. */
void flt_proc_session_retired(u32 bit, struct flt_account *sum, u32 *rows, u64 *untracked);

/* The functions below take flt_proc_lock where they need it. */

/* Accounting starts at @since (CLOCK_BOOTTIME ns). */
void flt_proc_start(u64 since);
/* Accounting stops: end all rows. */
void flt_proc_stop(void);
bool flt_proc_is_started(void);
/* Return true if @task started while accounting was on, so that all its faults count. */
bool flt_proc_is_whole(const struct task_struct *task);

void flt_proc_usage(struct flt_proc_usage *usage);
u64 flt_proc_generation(void);

/* Rows have a fixed slot below flt_proc_rows(), which other tables can use as an index. */
u32 flt_proc_rows(void);
u32 flt_proc_slot(const struct flt_proc *proc);
struct flt_proc *flt_proc_row(u32 slot);

/* Sessions. A session's sum includes its rows that were retired since it was opened. */
void flt_proc_session_open(u32 bit);
void flt_proc_session_close(u32 bit);
/* Add @task's process to a session. Return 0, or -ENOSPC if the table is full. */
int flt_proc_session_add(u32 bit, struct task_struct *task);
/*
 * Add the new process @child to those of @sessions that include @parent's process. A
 * child that finds the table full is counted in the session as untracked.
 */
void flt_proc_inherit(struct task_struct *parent, struct task_struct *child, u32 sessions);
/* Update the name of the row after exec(). */
void flt_proc_rename(struct task_struct *task);
/* Return the sessions that include @task's process. */
u32 flt_proc_sessions(const struct task_struct *task);

#endif
