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
 * thread has no slot (lost_task). While returns are probed, its faults are charged to the row of
 * its process. While only entries are probed, nobody knows how they ended, and they are missing.
 */
#ifndef FLT_TASK_H
#define FLT_TASK_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include "account/account.h"
#include "account/delays.h"
#include "account/proc.h"

struct flt_task {
	struct hlist_node node;
	struct task_struct *task;
	/*
	 * Invariant: minor_base + account.minor == task->min_flt, and the same for major
	 * faults, except for the end of the open fault. A further difference is the number of
	 * faults that the probe missed.
	 */
	u64 minor_base, major_base;

	u64 open;			/* FLT_OPEN_*: a fault whose end was not counted yet */
	unsigned long open_address;
	const struct mm_struct *open_mm;	/* for comparison only */
	unsigned long open_pfn;		/* with FLT_OPEN_PROVISIONAL: see flt_kind_confirm() */
	u64 open_start;			/* clock at the first attempt; 0: unknown */
	struct flt_delays delays;	/* when the last fault began, while a session has causes */
	u8 huge;			/* FLT_HUGE_*, see ledger/huge.h */
	bool rowless;			/* @proc is nobody: the table is full */

	struct flt_account account;

	struct flt_proc *proc;		/* its row; stays LIVE while the slot is used */
	struct rb_node sibling;		/* in proc->tasks */
	u64 serial;			/* number in proc->tasks, from 1 */
	struct rcu_head rcu;
};

/*
 * flt_task.open, written as a whole, because readers read it without a lock. 0: no fault is
 * open. The probe on entry opens a fault. The probe on return ends it (fault.c). While only
 * entries are probed (entry.c), min_flt and maj_flt tell how it ended: the thread looks at its
 * next fault and at its exit, and readers do in between.
 */
#define FLT_OPEN_FLAGS 0xffffffffull		/* FAULT_FLAG_* of the last attempt */
#define FLT_OPEN_KIND_SHIFT 32			/* enum flt_kind, 8 bits */
#define FLT_OPEN_ENTERED BIT_ULL(40)		/* the last attempt may be running; else RETRY */
#define FLT_OPEN_REMOTE BIT_ULL(41)
#define FLT_OPEN_PROVISIONAL BIT_ULL(42)	/* the kind depends on the end */
#define FLT_OPEN_HAD_VMA_LOCK BIT_ULL(43)	/* an earlier attempt held the lock of the VMA */
#define FLT_OPEN_NO_ADDRESS BIT_ULL(44)	/* open_address and open_mm are not set */
#define FLT_OPEN_ATTEMPTS_SHIFT 48		/* 16 bits, not 0 */
#define FLT_OPEN_FIRST (FLT_OPEN_ENTERED | 1ull << FLT_OPEN_ATTEMPTS_SHIFT)
#define FLT_OPEN_ATTEMPTS_MAX 0xffffu

static __always_inline u64 flt_open_first(u8 kind, u32 flags)
{
	return FLT_OPEN_FIRST | (u64)kind << FLT_OPEN_KIND_SHIFT | flags;
}

static __always_inline u8 flt_open_kind(u64 open)
{
	return open >> FLT_OPEN_KIND_SHIFT;
}

static __always_inline u32 flt_open_attempts(u64 open)
{
	return open >> FLT_OPEN_ATTEMPTS_SHIFT;
}

/* Return true if nothing is to say about the fault but its kind and its flags. */
static __always_inline bool flt_open_is_plain(u64 open)
{
	const u64 detail = ~(FLT_OPEN_FLAGS | 0xffull << FLT_OPEN_KIND_SHIFT);

	return (open & detail) == FLT_OPEN_FIRST;
}

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

/*
 * Return how many minor or major faults of the thread the kernel has counted, and we not.
 * @task: t->task, which fast paths have at hand.
 */
static __always_inline u64 flt_task_minor_ahead(const struct flt_task *t,
						const struct task_struct *task)
{
	return READ_ONCE(task->min_flt) - t->minor_base - READ_ONCE(t->account.minor);
}

static __always_inline u64 flt_task_major_ahead(const struct flt_task *t,
						const struct task_struct *task)
{
	return READ_ONCE(task->maj_flt) - t->major_base - READ_ONCE(t->account.major);
}

/*
 * Count the end of the open fault, if the kernel has counted it, and faults that the probe
 * missed. A fault that the kernel has not counted stays open. The thread must be current.
 */
void flt_task_settle(struct flt_task *t);
/* Count the open fault as not ended: the kernel gave it up, or it failed. */
void flt_task_abandon(struct flt_task *t);
/* Add the account of a live thread and the end of its open fault. Caller locks the row. */
void flt_task_read(const struct flt_task *t, struct flt_account *sum);
/*
 * Add the open faults of all threads that have ended in the meantime to @sum, but not faults
 * that the probe missed. May sleep.
 */
void flt_task_read_open(struct flt_account *sum);

/* Return true if the probe missed faults of current. Current must have faulted. */
bool flt_task_has_missed(void);

/* Current is exiting: end its slot, and its row if it was the last thread. */
void flt_task_end(void);
/*
 * End all slots, because accounting stops. Faults and forks must not be probed any more, but
 * threads may call flt_task_end(). May sleep.
 */
void flt_task_end_all(void);

/* Reset members of all threads. Call before arming the hooks that use them. */
void flt_task_reset_huge(void);
void flt_task_reset_lock_waits(void);

u32 flt_task_used(void);
u32 flt_task_limit(void);

#endif
