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
/* Pushed by RCU callbacks without the lock, popped under flt_proc_lock. */
static LLIST_HEAD(free_slots);
/*
 * Set for good once a thread found no slot or no row: from then on a thread
 * without a slot may have faults that were charged without one, so its own
 * counters no longer tell what the probe missed before it got its slot.
 */
static bool overflowed;

/* hlist_node doubles as the llist_node of a free slot: both are one pointer first. */
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

struct flt_task *flt_task_make(void)
{
	struct task_struct *task = current;
	struct llist_node *node = NULL;
	struct flt_task *t = NULL;
	struct flt_proc *p;

	/* Past exit_mm() the exit hook may have run already: nobody would end the slot. */
	if (task->flags & PF_EXITING && !task->mm)
		return NULL;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_of(task);
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
	/* A thread born under watch started from 0: what it has by now was missed. */
	if (flt_proc_watched(task) && !READ_ONCE(overflowed)) {
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

static void missed(struct flt_account *a, u64 minor, u64 major)
{
	flt_account_missed(a, minor, major);
	flt_account_missed(&flt_tally_here()->account, minor, major);
}

void flt_task_settle(struct flt_task *t)
{
	missed(&t->account, t->task->min_flt - t->minor_base - t->account.minor,
	       t->task->maj_flt - t->major_base - t->account.major);
}

bool flt_task_blind(void)
{
	struct task_struct *task = current;
	struct flt_task *t;
	bool blind;

	preempt_disable();
	t = flt_task_find(task);
	if (t)
		blind = task->min_flt != t->minor_base + t->account.minor ||
			task->maj_flt != t->major_base + t->account.major;
	else
		blind = flt_proc_watched(task) && !READ_ONCE(overflowed) && task->min_flt;
	preempt_enable();
	return blind;
}

static void release(struct rcu_head *rcu)
{
	struct flt_task *t = container_of(rcu, struct flt_task, rcu);

	atomic_dec(&slots_used);
	llist_add(free_node(t), &free_slots);
}

static void unlink(struct flt_task *t)
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
	call_rcu(&t->rcu, release);
}

void flt_task_end(void)
{
	struct task_struct *task = current;
	struct flt_task *t = flt_task_find(task);
	bool last = !atomic_read(&task->signal->live);
	struct flt_proc *p;

	/* All its faults missed, and never seen by us: still they were counted by the kernel. */
	if (!t && !(task->min_flt + task->maj_flt))
		goto check;
	raw_spin_lock(&flt_proc_lock);
	if (t) {
		flt_task_settle(t);
		unlink(t);
	} else if (flt_proc_watched(task) && !READ_ONCE(overflowed)) {
		p = flt_proc_of(task);
		if (p)
			missed(&p->ended, task->min_flt, task->maj_flt);
		else
			missed(&flt_tally_here()->other, task->min_flt, task->maj_flt);
	}
	raw_spin_unlock(&flt_proc_lock);
check:
	if (!last)
		return;
	/* Several threads may come here as the last; whoever finds no slot left ends the row. */
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
			unlink(t);
		raw_spin_unlock(&flt_proc_lock);
	}
	/* The next watch must find the slots free, and no reader in the chains. */
	rcu_barrier();
}

void flt_task_forget(void)
{
	u32 i;

	raw_spin_lock(&flt_proc_lock);
	for (i = 0; i < slot_count; i++)
		WRITE_ONCE(slots[i].huge, 0);
	raw_spin_unlock(&flt_proc_lock);
}

static void report(const struct flt_task *t, struct flt_task_report *r)
{
	r->tid = t->task->pid;
	memcpy(r->comm, t->task->comm, sizeof(r->comm));
	r->comm[sizeof(r->comm) - 1] = 0;
	memset(&r->account, 0, sizeof(r->account));
	flt_account_merge(&r->account, &t->account);
}

int flt_task_next(pid_t tgid, pid_t tid, struct flt_task_report *r)
{
	struct flt_task *t, *found[FLT_TASK_BATCH];
	int i, n = 0, err = -ESRCH;
	struct flt_proc *p;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_find_tgid(tgid);
	if (!p)
		goto out;
	list_for_each_entry(t, &p->tasks, sibling) {
		pid_t pid = t->task->pid;

		if (pid <= tid || (n == FLT_TASK_BATCH && pid > found[n - 1]->task->pid))
			continue;
		for (i = n < FLT_TASK_BATCH ? n++ : n - 1; i && found[i - 1]->task->pid > pid; i--)
			found[i] = found[i - 1];
		found[i] = t;
	}
	for (i = 0; i < n; i++)
		report(found[i], &r[i]);
	err = n;
out:
	raw_spin_unlock(&flt_proc_lock);
	return err;
}
