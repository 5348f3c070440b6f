/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc - one row per process, from fork() until it ends, and after that for as long as the
 * table has room.
 *
 * The table is allocated at load, so probes do not allocate rows and the bound is fixed. A
 * process that existed before accounting started gets its row at its first fault. One more
 * row ("nobody") has the threads of processes that found the table full.
 *
 * Locks. Each chain of the hash by TGID has a raw spinlock, which protects the rows of the
 * chain and the accounts in them. It is held for one row, or for FLT_TASK_BATCH threads of
 * it. The pool lock nests inside and protects the lists of free and ended rows. Both are
 * taken at fork, exec and exit, by readers, and by the first fault of a thread that existed
 * before accounting started. Later faults of a thread with a slot (task.h) take no lock.
 * Faults of a thread without a slot take the lock of their chain only. No page fault can
 * happen while a lock is held.
 *
 * States of a row:
 *   FREE -> LIVE    fork(), or the first fault of a process older than accounting
 *   LIVE -> ENDED   the last thread exited
 *   ENDED -> FREE   a row is needed: an ended row is added to "retired", rows without
 *                   faults first, then the oldest
 * The key is the TGID and the start time of the group leader, because PIDs are reused.
 */
#ifndef FLT_PROC_H
#define FLT_PROC_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "account/account.h"
#include "account/retired.h"
#include "mm/pidns.h"

enum flt_row_state { FLT_ROW_FREE, FLT_ROW_LIVE, FLT_ROW_ENDED };

struct flt_proc {
	struct hlist_node node;		/* chain of the hash by tgid; LIVE and ENDED rows */
	struct list_head age;		/* list of free or of ended rows; empty in no list */
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
};

struct flt_proc_usage {
	u32 rows, rows_max;	/* rows in use, ended ones included */
	u64 seen, retired;	/* rows ever created, and retired */
	struct flt_account account;	/* sum of the retired rows */
};

/*
 * The walk of a reader over the threads of a row, which drops the lock of the row now and
 * then. Threads that end before the reader has come to them are added when they end, so that
 * each counts once. There is one walk at a time (report.c). Written with the lock of @row
 * held; a thread whose row is @row holds that lock.
 */
struct flt_proc_walk {
	struct flt_proc *row;
	u64 task, last_task;	/* slots up to @task were added, of those up to @last_task */
	struct flt_account *account;
};

extern struct flt_proc_walk flt_proc_walk;

int flt_proc_init(u32 rows);
void flt_proc_exit(void);
size_t flt_proc_memory(void);

/* Lock and unlock the rows with this TGID. */
void flt_proc_lock(pid_t tgid);
void flt_proc_unlock(pid_t tgid);

/*
 * The functions from here to flt_proc_lock_nobody() return a row, locked. Unlock it by
 * flt_proc_unlock(row->tgid).
 *
 * Return the row of @task's process. Create it if there is none, and make it LIVE again
 * if it has ended. Return NULL if all rows are LIVE.
 */
struct flt_proc *flt_proc_lock_get(struct task_struct *task);
/*
 * The same for a process that may have exited. Then the row is not created or made LIVE,
 * because the exit hook may have run, and nothing would end the row.
 */
struct flt_proc *flt_proc_lock_charge(struct task_struct *task);
/* Return the row of @task's process, live or ended, or NULL. */
struct flt_proc *flt_proc_lock_find(const struct task_struct *task);
/* Return the newest row with this TGID, live or ended, or NULL. */
struct flt_proc *flt_proc_lock_newest(pid_t tgid);
/* Return the row in a slot, or NULL if it is free or in none of @sessions (0: any row). */
struct flt_proc *flt_proc_lock_slot(u32 slot, u32 sessions);
struct flt_proc *flt_proc_lock_nobody(void);

/* Make a LIVE row without threads ENDED. Caller holds its lock. */
void flt_proc_end(struct flt_proc *proc);
/* Copy the name of @task, which is terminated even if another CPU changes it. */
void flt_proc_copy_comm(char *comm, const struct task_struct *task);

/* Return true if a process without a row may get one. */
bool flt_proc_has_room(void);

/* Accounting starts at @since (CLOCK_BOOTTIME ns), or stops (U64_MAX). */
void flt_proc_start(u64 since);
bool flt_proc_is_started(void);
/* Return true if @task started while accounting was on, so that all its faults count. */
bool flt_proc_is_whole(const struct task_struct *task);
/* End all rows. May sleep. */
void flt_proc_end_all(void);

void flt_proc_usage(struct flt_proc_usage *usage);
/* Return a number that changes whenever a row is retired. */
u64 flt_proc_generation(void);

/*
 * Rows have a fixed slot below flt_proc_rows(), which other tables can use as an index.
 * The slot of nobody is flt_proc_rows().
 */
u32 flt_proc_rows(void);
u32 flt_proc_slot(const struct flt_proc *proc);

/* Remove all rows from a session. */
void flt_proc_session_close(u32 bit);
/*
 * Add @task's process to a session. Return 0, -ESRCH if it has exited without a row, or
 * -ENFILE if the table is full.
 */
int flt_proc_session_add(u32 bit, struct task_struct *task);
/* Update the name of the row after exec(). */
void flt_proc_rename(struct task_struct *task);
/* Return the sessions that include @task's process. */
u32 flt_proc_sessions(const struct task_struct *task);

#endif
