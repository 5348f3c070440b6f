/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task - the slot of a live thread: its account, and its unfinished fault.
 *
 * A slot is found by the address of the task_struct. Only the thread itself creates,
 * writes and ends its slot, so the address cannot become stale under the thread, and the
 * thread may keep the pointer across a fault that sleeps. Readers hold flt_proc_lock. A
 * freed slot is reused after an RCU grace period, because threads walk the hash chains
 * without the lock.
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
	 * Invariant: minor_base + account.minor == task->min_flt, and the same for major
	 * faults, except between mm_account_fault() and our return handler. A difference
	 * is the number of faults that the probe missed.
	 */
	u64 minor_base, major_base;

	/* The fault that returned RETRY last and has not been tried again. */
	u64 retry_start;		/* clock at the first attempt */
	unsigned long retry_page;
	u32 retry_attempts;		/* 0: no such fault */
	u32 retry_flags;		/* FAULT_FLAG_* of all its attempts */
	u8 retry_kind;
	u8 huge;			/* FLT_HUGE_*, see ledger/huge.h */

	struct flt_account account;

	struct flt_proc *proc;		/* its row; stays LIVE while the slot is used */
	struct list_head sibling;	/* in proc->tasks */
	struct rcu_head rcu;
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

/* Return the slot of @task, which must be current, or NULL. Preemption must be off. */
static __always_inline struct flt_task *flt_task_find(const struct task_struct *task)
{
	struct flt_task *t;

	hlist_for_each_entry_rcu_notrace(t, flt_task_chain(task), node)
		if (t->task == task)
			return t;
	return NULL;
}

/*
 * Create a slot for current. Return NULL if the thread table or the process table is
 * full, or if current is exiting and has given up its memory.
 */
struct flt_task *flt_task_create(void);

/* Add the faults that the probe missed since the last call to the account. */
void flt_task_add_missed(struct flt_task *t);

/* Return true if the probe missed faults of current. Current must have faulted. */
bool flt_task_has_missed(void);

/* End the slot of current, which is exiting and cannot fault again. */
void flt_task_end(void);
/* End all slots, because accounting stops. No handler may be running. May sleep. */
void flt_task_end_all(void);

/* Reset flt_task.huge of all threads. Call before arming the hooks that use it. */
void flt_task_reset_huge(void);

u32 flt_task_used(void);
u32 flt_task_slots(void);

#endif
