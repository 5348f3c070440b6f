/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task - the slot of one live thread: its account, and the fault it has not
 * finished.
 *
 * Found by the task_struct's address. A slot is made and written by its thread
 * alone and taken away by that thread's exit, so the address cannot go stale
 * under it; the thread may keep the pointer across a fault that sleeps. Others
 * read under flt_proc_lock. Freed slots wait for an RCU grace period, since
 * threads walk hash chains without the lock.
 */
#ifndef FLT_TASK_H
#define FLT_TASK_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include "account/account.h"
#include "account/proc.h"

struct flt_task {
	struct hlist_node node;
	struct task_struct *task;
	/*
	 * task->min_flt - minor and task->maj_flt - major, at all times but
	 * between mm_account_fault() and our return handler. A difference is
	 * what the probe missed.
	 */
	u64 minor_base, major_base;

	/* A fault that returned RETRY and has not been tried again. */
	u64 retry_start;		/* clock of the first attempt */
	unsigned long retry_page;
	u32 retry_attempts;		/* 0: there is none */
	u8 retry_kind;
	u8 huge;			/* see thp.c: what the thread does to a huge page */

	struct flt_account account;

	struct flt_proc *proc;
	struct list_head sibling;	/* proc->tasks; or the free list */
	struct rcu_head rcu;
};

struct flt_task_report {
	pid_t tid;
	char comm[TASK_COMM_LEN];
	struct flt_account account;
};

extern struct hlist_head *flt_task_hash;
extern u32 flt_task_shift;		/* 64 - log2 of the number of chains */

int flt_task_init(u32 slots);
void flt_task_exit(void);
size_t flt_task_memory(void);

static __always_inline struct hlist_head *flt_task_chain(const struct task_struct *task)
{
	return &flt_task_hash[(u64)task * GOLDEN_RATIO_64 >> flt_task_shift];
}

/* In @task's own context, preemption off. NULL: it has no slot yet. */
static __always_inline struct flt_task *flt_task_find(const struct task_struct *task)
{
	struct flt_task *t;

	hlist_for_each_entry_rcu_notrace(t, flt_task_chain(task), node)
		if (t->task == task)
			return t;
	return NULL;
}

/* A slot for current. NULL: a table is full, or current is past the point of needing one. */
struct flt_task *flt_task_make(void);

/* Takes what the probe missed since into the account. */
void flt_task_settle(struct flt_task *t);

/* Whether faults of current, which has surely taken some, went by unseen. */
bool flt_task_blind(void);

/* current exits and will not fault again. */
void flt_task_end(void);
/* Accounting was switched off: all slots end. No handler may be running. */
void flt_task_end_all(void);

/* Hooks that keep something in flt_task.huge are about to be armed: as in the beginning. */
void flt_task_forget(void);

u32 flt_task_used(void);
u32 flt_task_slots(void);

/* Rows at a time: each time all threads of the process are looked through, under the lock. */
#define FLT_TASK_BATCH 16

/*
 * Threads of a process in the order of their TIDs: the first ones above @tid, at most
 * FLT_TASK_BATCH. How many; 0: no more; -ESRCH: no such process.
 */
int flt_task_next(pid_t tgid, pid_t tid, struct flt_task_report *report);

#endif
