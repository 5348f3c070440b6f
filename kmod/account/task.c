// SPDX-License-Identifier: GPL-2.0-only
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "account/tally.h"
#include "account/task.h"

struct hlist_head *flt_task_hash __ro_after_init;
u32 flt_task_shift __ro_after_init;
static u32 chains __ro_after_init;

static struct flt_task *slots;
static u32 slot_count;
static atomic_t slots_used;
/* RCU callbacks push without a lock; flt_proc_lock serializes those that pop. */
static LLIST_HEAD(free_slots);
/*
 * Set when a thread finds no slot or no row, and never reset. From then on, faults of a
 * thread without a slot may have been charged to the row or to the CPU. So a thread's
 * min_flt and maj_flt no longer show what the probe missed before the thread got a slot.
 */
static bool overflowed;

/* A free slot uses the memory of its hlist_node as llist_node. */
static struct llist_node *free_node(struct flt_task *t)
{
	BUILD_BUG_ON(sizeof(struct llist_node) > sizeof(struct hlist_node));
	return (struct llist_node *)&t->node;
}

int __init flt_task_init(u32 count)
{
	u32 i;

	slot_count = count;
	chains = roundup_pow_of_two(count);
	flt_task_shift = 64 - ilog2(chains);
	slots = kvcalloc(count, sizeof(*slots), GFP_KERNEL);
	flt_task_hash = kvcalloc(chains, sizeof(*flt_task_hash), GFP_KERNEL);
	if (!slots || !flt_task_hash) {
		flt_task_exit();
		return -ENOMEM;
	}
	for (i = 0; i < count; i++)
		llist_add(free_node(&slots[i]), &free_slots);
	return 0;
}

void flt_task_exit(void)
{
	rcu_barrier();
	kvfree(slots);
	kvfree(flt_task_hash);
}

size_t flt_task_memory(void)
{
	return slot_count * sizeof(*slots) + chains * sizeof(*flt_task_hash);
}

u32 flt_task_used(void)
{
	return atomic_read(&slots_used);
}

u32 flt_task_slots(void)
{
	return slot_count;
}

struct flt_task *flt_task_create(void)
{
	struct task_struct *task = current;
	struct llist_node *node = NULL;
	struct flt_task *t = NULL;
	struct flt_proc *p;

	/* After exit_mm() the exit hook may have run already, and nothing would end the slot. */
	if (task->flags & PF_EXITING && !task->mm)
		return NULL;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_get(task);
	if (p)
		node = llist_del_first(&free_slots);
	if (!node) {
		WRITE_ONCE(overflowed, true);
		goto out;
	}
	t = container_of((struct hlist_node *)node, struct flt_task, node);
	atomic_inc(&slots_used);
	t->task = task;
	memset(&t->account, 0, sizeof(t->account));
	t->retry_attempts = 0;
	t->huge = 0;
	/* All faults of a thread that started while accounting was on should be counted. */
	if (flt_proc_is_whole(task) && !READ_ONCE(overflowed)) {
		t->minor_base = 0;
		t->major_base = 0;
	} else {
		t->minor_base = task->min_flt;
		t->major_base = task->maj_flt;
	}
	t->proc = p;
	p->threads++;
	list_add_tail(&t->sibling, &p->tasks);
	hlist_add_head_rcu(&t->node, flt_task_chain(task));
out:
	raw_spin_unlock(&flt_proc_lock);
	return t;
}

/* Charge missed faults to @a and to the machine. */
static void charge_missed(struct flt_account *a, u64 minor, u64 major)
{
	flt_account_missed(a, minor, major);
	flt_account_missed(&flt_tally_here()->account, minor, major);
}

void flt_task_add_missed(struct flt_task *t)
{
	charge_missed(&t->account, t->task->min_flt - t->minor_base - t->account.minor,
		      t->task->maj_flt - t->major_base - t->account.major);
}

bool flt_task_has_missed(void)
{
	struct task_struct *task = current;
	struct flt_task *t;
	bool missed;

	preempt_disable();
	t = flt_task_find(task);
	if (t)
		missed = task->min_flt != t->minor_base + t->account.minor ||
			task->maj_flt != t->major_base + t->account.major;
	else
		missed = flt_proc_is_whole(task) && !READ_ONCE(overflowed) && task->min_flt;
	preempt_enable();
	return missed;
}

static void free_slot(struct rcu_head *rcu)
{
	struct flt_task *t = container_of(rcu, struct flt_task, rcu);

	atomic_dec(&slots_used);
	llist_add(free_node(t), &free_slots);
}

/* Caller holds flt_proc_lock. */
static void end_slot(struct flt_task *t)
{
	struct flt_proc *p = t->proc;

	if (t->retry_attempts) {
		t->account.dropped++;
		flt_tally_here()->account.dropped++;
	}
	flt_account_merge(&p->ended, &t->account);
	p->threads--;
	list_del(&t->sibling);
	hlist_del_rcu(&t->node);
	call_rcu(&t->rcu, free_slot);
}

void flt_task_end(void)
{
	struct task_struct *task = current;
	struct flt_task *t = flt_task_find(task);
	bool last = !atomic_read(&task->signal->live);
	struct flt_proc *p;

	/* A thread without a slot may have faulted all the same, if the probe missed its faults. */
	if (!t && !(task->min_flt + task->maj_flt))
		goto check;
	raw_spin_lock(&flt_proc_lock);
	if (t) {
		flt_task_add_missed(t);
		end_slot(t);
	} else if (flt_proc_is_whole(task) && !READ_ONCE(overflowed)) {
		p = flt_proc_get(task);
		if (p)
			charge_missed(&p->ended, task->min_flt, task->maj_flt);
		else
			charge_missed(&flt_tally_here()->other, task->min_flt, task->maj_flt);
	}
	raw_spin_unlock(&flt_proc_lock);
check:
	if (!last)
		return;
	/*
	 * signal->live is 0 before all threads have come here, so several threads may see
	 * themselves as the last one. The one that leaves no slot behind ends the row.
	 */
	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_find(task->tgid, task->group_leader->start_boottime);
	if (p && !p->threads && p->state == FLT_ROW_LIVE)
		flt_proc_end(p);
	raw_spin_unlock(&flt_proc_lock);
}

void flt_task_end_all(void)
{
	u32 i;

	for (i = 0; i < chains; i++) {
		struct hlist_node *next;
		struct flt_task *t;

		raw_spin_lock(&flt_proc_lock);
		hlist_for_each_entry_safe(t, next, &flt_task_hash[i], node)
			end_slot(t);
		raw_spin_unlock(&flt_proc_lock);
	}
	/* Wait for free_slot(): the slots must be free when accounting starts again. */
	rcu_barrier();
}

void flt_task_reset_huge(void)
{
	u32 i;

	raw_spin_lock(&flt_proc_lock);
	for (i = 0; i < slot_count; i++)
		WRITE_ONCE(slots[i].huge, 0);
	raw_spin_unlock(&flt_proc_lock);
}
