/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc - one row per process, from fork() until it ends, and after that until max_procs rows
 * of other processes have ended.
 *
 * fork() allocates the row of the new process, without sleeping, so the number of processes
 * that the machine allows bounds the memory. A process that existed before accounting started
 * takes its row from a reserve at its first fault (pool.h). One more row ("nobody") has the
 * threads of processes that found no memory.
 *
 * Locks. Each chain of the hash by TGID has a raw spinlock, which protects the rows of the
 * chain and the accounts in them. It is held for one row, or for FLT_TASK_BATCH threads of
 * it. The order lock nests inside. It protects the tree of rows by ID and the list of ended
 * rows, and is held for ORDER_BATCH rows. Both are taken at fork, exec and exit, by readers,
 * and by the first fault of a thread that existed before accounting started. Later faults of
 * a thread with a slot (task.h) take no lock. Faults of a thread without a slot take the lock
 * of their chain only. No page fault can happen while a lock is held.
 *
 * States of a row:
 *   LIVE    from fork(), or the first fault of a process older than accounting
 *   ENDED   the last thread exited
 *   FREE    too many rows are ENDED: rows without faults first, then the oldest, are added to
 *           "retired". Memory is freed after an RCU grace period.
 * The key is the TGID and the start time of the group leader, because PIDs are reused.
 */
#ifndef FLT_PROC_H
#define FLT_PROC_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "account/account.h"
#include "account/retired.h"
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

struct flt_proc_usage {
	u32 rows, ended_max;	/* rows in use, ended ones included; limit of ended rows */
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

/*
 * A walk over all rows by ID. Rows that are created meanwhile are not part of it, because a fork
 * bomb may create rows as fast as a reader reads them.
 */
struct flt_proc_cursor {
	u64 id;			/* of the row, or of the next one to look for */
	u64 last;		/* of the newest row when the walk began */
	u32 sessions;		/* only rows in any of these sessions; 0: all rows */
};

/*
 * @ended: maximum number of ended rows. @live: of live rows in addition. @cells: counters of
 * ledgers per row. Return 0 or -ENOMEM.
 */
int flt_proc_init(u32 ended, u32 live, u32 cells);
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
 * if it has ended. Return NULL if there is no memory. @fork: see flt_pool_take().
 */
struct flt_proc *flt_proc_lock_get(struct task_struct *task, bool fork);
/*
 * The same for a process that may have exited. Then the row is not created or made LIVE,
 * because the exit hook may have run, and nothing would end the row.
 */
struct flt_proc *flt_proc_lock_charge(struct task_struct *task);
/* Return the row of @task's process, live or ended, or NULL. */
struct flt_proc *flt_proc_lock_find(const struct task_struct *task);
/* Return the newest row with this TGID, live or ended, or NULL. */
struct flt_proc *flt_proc_lock_newest(pid_t tgid);
/* Return the row with an ID, or NULL. May sleep. */
struct flt_proc *flt_proc_lock_id(u64 id);
/*
 * Return the first row at or after the cursor, and set the cursor to it, or return NULL. The
 * caller increments the ID of the cursor to go on. May sleep.
 */
struct flt_proc *flt_proc_lock_next(struct flt_proc_cursor *cursor);
struct flt_proc *flt_proc_lock_nobody(void);

void flt_proc_cursor_begin(struct flt_proc_cursor *cursor, u32 sessions);

/* Make a LIVE row without threads ENDED. Caller holds its lock. */
void flt_proc_end(struct flt_proc *proc);
/* Retire ended rows if there are too many. Call after flt_proc_end(), without a lock. */
void flt_proc_retire(void);
/* Copy the name of @task, which is terminated even if another CPU changes it. */
void flt_proc_copy_comm(char *comm, const struct task_struct *task);

/* Return true if a process without a row may get one. */
bool flt_proc_has_room(void);
/* Fill the reserve for so many processes without rows. Return 0 or -ENOMEM. May sleep. */
int flt_proc_fill(u32 processes);

/* Accounting starts at @since (CLOCK_BOOTTIME ns), or stops (U64_MAX). */
void flt_proc_start(u64 since);
bool flt_proc_is_started(void);
/* Return true if @task started while accounting was on, so that all its faults count. */
bool flt_proc_is_whole(const struct task_struct *task);
/* End all rows, and free the reserve. May sleep. */
void flt_proc_end_all(void);

void flt_proc_usage(struct flt_proc_usage *usage);
/* Return a number that changes whenever a row is retired. */
u64 flt_proc_generation(void);

/*
 * Give all rows cells, and rows that are created from now on, until flt_proc_cells_put(). A row
 * keeps its cells. One that found no memory has none. Callers are serialized. Return 0 or
 * -ENOMEM. May sleep.
 */
int flt_proc_cells_get(void);
void flt_proc_cells_put(void);

/* Remove all rows from a session. */
void flt_proc_session_close(u32 bit);
/*
 * Add @task's process to a session. Return 0, -ESRCH if it has exited without a row, -ENFILE
 * if there are too many rows, or -ENOMEM. May sleep.
 */
int flt_proc_session_add(u32 bit, struct task_struct *task);
/* Update the name of the row after exec(). */
void flt_proc_rename(struct task_struct *task);
/* Return the sessions that include @task's process. */
u32 flt_proc_sessions(const struct task_struct *task);

#endif
