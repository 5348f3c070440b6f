/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task - the slot of a live thread: its account, and its unfinished fault.
 *
 * A slot is found by the address of the task_struct. Only the thread itself writes its
 * account and ends its slot, so the address cannot become stale under the thread, and the
 * thread may keep the pointer across a fault that sleeps. Readers hold the lock of the row
 * (proc.h). A slot is freed after an RCU grace period, because threads walk the hash chains
 * without a lock.
 *
 * fork() allocates the slot of the new thread, without sleeping, so the number of threads
 * that the machine allows bounds the memory. A thread that existed before accounting started
 * takes a slot at its first fault from a reserve, because a fault must not allocate memory.
 * The reserve is filled for all threads when accounting starts. If there is no memory, the
 * thread has no slot, and is counted in its process alone (lost_task).
 */
#ifndef FLT_TASK_H
#define FLT_TASK_H

#include <linux/hash.h>
#include <linux/rbtree.h>
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

	union {
		struct {
			u32 retry_attempts;	/* 0: no such fault */
			bool rowless;		/* @proc is nobody: the table is full */
		};
		u64 slow;	/* not 0: faults take the slow path on entry */
	};
	/* The fault that returned RETRY last and has not been tried again. */
	u64 retry_start;		/* clock at the first attempt */
	unsigned long retry_page;
	const struct mm_struct *retry_mm;	/* for comparison only */
	u32 retry_flags;		/* FAULT_FLAG_* of all its attempts */
	u8 retry_kind;
	u8 huge;			/* FLT_HUGE_*, see ledger/huge.h */

	struct flt_account account;

	struct flt_proc *proc;		/* its row; stays LIVE while the slot is used */
	struct rb_node sibling;		/* in proc->tasks */
	u64 serial;			/* number in proc->tasks, from 1 */
	struct rcu_head rcu;
};

extern struct hlist_head *flt_task_hash;
extern u32 flt_task_shift;		/* 64 - log2 of the number of chains */

/* @limit: maximum number of slots. */
int flt_task_init(u32 limit);
void flt_task_exit(void);
size_t flt_task_memory(void);

static __always_inline u32 flt_task_chain(const struct task_struct *task)
{
	return (u64)task * GOLDEN_RATIO_64 >> flt_task_shift;
}

/* Return the slot of @task, which must be current, or NULL. Preemption must be off. */
static __always_inline struct flt_task *flt_task_find(const struct task_struct *task)
{
	struct flt_task *t;

	hlist_for_each_entry_rcu_notrace(t, &flt_task_hash[flt_task_chain(task)], node)
		if (t->task == task)
			return t;
	return NULL;
}

/* Return the first slot of @p with a serial number above @serial. Caller locks @p. */
struct flt_task *flt_task_after(const struct flt_proc *p, u64 serial);

/* Fill the reserve. Call before the fault hook is armed. Return 0 or -ENOMEM. May sleep. */
int flt_task_start(void);

/*
 * Create the slot of @child, which has not run yet, and its row. If @child is a new process,
 * it joins those of @sessions that include @parent's process.
 */
void flt_task_fork(struct task_struct *parent, struct task_struct *child, u32 sessions);

/*
 * Take a slot for current from the reserve. Return NULL if there is none, or if current is
 * exiting: its exit hook may have run, and nothing would end the slot.
 */
struct flt_task *flt_task_create(void);

/* Move a rowless slot to the row of its process if the table has room now. */
void flt_task_find_row(struct flt_task *t);

/* Add the faults that the probe missed since the last call to the account. */
void flt_task_add_missed(struct flt_task *t);

/* Return true if the probe missed faults of current. Current must have faulted. */
bool flt_task_has_missed(void);

/* Current is exiting: end its slot, and its row if it was the last thread. */
void flt_task_end(void);
/*
 * End all slots, because accounting stops. Faults and forks must not be probed any more, but
 * threads may call flt_task_end(). May sleep.
 */
void flt_task_end_all(void);

/* Reset flt_task.huge of all threads. Call before arming the hooks that use it. */
void flt_task_reset_huge(void);

u32 flt_task_used(void);
u32 flt_task_limit(void);

#endif
