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
 * it. Two locks nest inside, neither in the other. One protects the tree of rows by ID, and
 * is held for TREE_BATCH rows (proc_index.c). One protects the list of ended rows (proc.c). All
 * are taken at fork, exec and exit, by readers, and by the first fault of a thread that existed
 * before accounting started. Later faults of a thread with a slot (task.h) take no lock. Faults
 * of a thread without a slot take the lock of their chain only. No page fault can happen while
 * a lock is held.
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

#include <linux/sched.h>
#include <linux/types.h>
#include "account/account.h"
#include "account/proc_index.h"
#include "account/proc_row.h"

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
 * @ended: maximum number of ended rows. @live: of live rows in addition. @cells: counters of
 * ledgers per row. Return 0 or -ENOMEM.
 */
int flt_proc_init(u32 ended, u32 live, u32 cells);
void flt_proc_exit(void);
size_t flt_proc_memory(void);

/*
 * These three functions return a row, locked. Unlock it by flt_proc_unlock(row->tgid).
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
struct flt_proc *flt_proc_lock_nobody(void);

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
 * Add @task's process to a session. Return 0, -ESRCH if it has exited without a row, -EAGAIN if
 * @task was freed although its process may live (look the process up again), -ENFILE if there are
 * too many rows, or -ENOMEM. May sleep.
 */
int flt_proc_session_add(u32 bit, struct task_struct *task);
/* Update the name of the row after exec(). */
void flt_proc_rename(struct task_struct *task);
/* Return the sessions that include @task's process. */
u32 flt_proc_sessions(const struct task_struct *task);

#endif
