// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "account/pool.h"
#include "account/retired.h"
#include "account/tally.h"
#include "account/task.h"
#include "mm/cgroup.h"

/* Locks of the chains. A lock is held for one slot and nests inside the lock of a row. */
#define LOCKS 256

struct hlist_head *flt_task_hash __ro_after_init;
u32 flt_task_shift __ro_after_init;
static u32 chains __ro_after_init;
static raw_spinlock_t chain_lock[LOCKS];

static struct flt_pool pool;

int __init flt_task_init(u32 limit)
{
	u32 i;

	/* By default the kernel allows one thread per 32 pages (fork_init()). */
	chains = roundup_pow_of_two(clamp(totalram_pages() / 32, 1024ul, 1ul << 20));
	flt_task_shift = 64 - ilog2(chains);
	for (i = 0; i < LOCKS; i++)
		raw_spin_lock_init(&chain_lock[i]);
	flt_task_hash = kvcalloc(chains, sizeof(*flt_task_hash), GFP_KERNEL);
	if (!flt_task_hash || flt_pool_init(&pool, "flt_task", sizeof(struct flt_task), limit)) {
		flt_task_exit();
		return -ENOMEM;
	}
	return 0;
}

void flt_task_exit(void)
{
	rcu_barrier();
	flt_pool_exit(&pool);
	kvfree(flt_task_hash);
}

size_t flt_task_memory(void)
{
	return flt_pool_memory(&pool) + chains * sizeof(*flt_task_hash);
}

u32 flt_task_used(void)
{
	return flt_pool_used(&pool);
}

u32 flt_task_limit(void)
{
	return pool.limit;
}

int flt_task_start(void)
{
	struct task_struct *p;
	u32 threads = 0, processes = 0;
	int err;

	rcu_read_lock();
	for_each_process(p) {
		threads += get_nr_threads(p);
		processes++;
	}
	rcu_read_unlock();
	err = flt_proc_fill(processes);
	return err ?: flt_pool_fill(&pool, min(threads + FLT_POOL_RESERVE, pool.limit));
}

static raw_spinlock_t *lock_of(const struct task_struct *task)
{
	return &chain_lock[flt_task_chain(task) % LOCKS];
}

static bool is_older(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct flt_task, sibling)->serial <
	       rb_entry(b, struct flt_task, sibling)->serial;
}

struct flt_task *flt_task_after(const struct flt_proc *p, u64 serial)
{
	struct rb_node *node = p->tasks.rb_node, *found = NULL;

	while (node) {
		if (rb_entry(node, struct flt_task, sibling)->serial > serial) {
			found = node;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return rb_entry_safe(found, struct flt_task, sibling);
}

/*
 * Add a slot to the row of its process, or to flt_proc_nobody if there is no row. @fork: see
 * flt_pool_take().
 */
static void join_row(struct flt_task *t, bool fork)
{
	struct flt_proc *p = flt_proc_lock_get(t->task, fork);

	t->rowless = !p;
	if (!p)
		p = flt_proc_lock_nobody();
	t->proc = p;
	t->serial = ++p->last_task;
	p->threads++;
	rb_add(&t->sibling, &p->tasks, is_older);
	flt_proc_unlock(p->tgid);
}

/* Merge the account into the row and leave it. Caller holds the lock of the row. */
static void leave_row(struct flt_task *t)
{
	const struct flt_proc_walk *walk = &flt_proc_walk;
	struct flt_proc *p = t->proc;

	flt_account_merge(&p->ended, &t->account);
	if (READ_ONCE(walk->row) == p && t->serial > walk->task && t->serial <= walk->last_task)
		flt_account_merge(walk->account, &t->account);
	/* The exit hook runs before cgroup_exit(). */
	p->cgroup = flt_cgroup_of(t->task);
	p->threads--;
	rb_erase(&t->sibling, &p->tasks);
}

/* Return a slot for @task that is in no row, or NULL. */
static struct flt_task *take_slot(struct task_struct *task, bool fork)
{
	struct flt_task *t = flt_pool_take(&pool, fork);

	if (t)
		t->task = task;
	return t;
}

static void add_slot(struct flt_task *t, bool fork)
{
	join_row(t, fork);
	raw_spin_lock(lock_of(t->task));
	hlist_add_head_rcu(&t->node, &flt_task_hash[flt_task_chain(t->task)]);
	raw_spin_unlock(lock_of(t->task));
}

/* Add the new process @child to sessions of its parent. */
static void inherit_sessions(struct task_struct *parent, struct task_struct *child, u32 sessions)
{
	struct flt_proc *p;

	sessions &= flt_proc_sessions(parent);
	if (!sessions)
		return;
	p = flt_proc_lock_get(child, true);
	if (p) {
		p->sessions |= sessions;
		flt_proc_unlock(p->tgid);
	} else {
		flt_retired_untracked(sessions);
	}
}

void flt_task_fork(struct task_struct *parent, struct task_struct *child, u32 sessions)
{
	struct flt_task *t;

	if (!flt_proc_is_started() || child->flags & PF_KTHREAD)
		return;
	if (child->tgid != parent->tgid && sessions)
		inherit_sessions(parent, child, sessions);
	t = take_slot(child, true);
	if (t)
		add_slot(t, true);
}

struct flt_task *flt_task_create(void)
{
	struct task_struct *task = current;
	struct flt_task *t;

	if (task->flags & PF_EXITING)
		return NULL;
	t = take_slot(task, false);
	if (!t)
		return NULL;
	t->minor_base = task->min_flt;
	t->major_base = task->maj_flt;
	add_slot(t, false);
	return t;
}

void flt_task_find_row(struct flt_task *t)
{
	struct flt_proc *nobody;

	/* The row of a process that has ended may be retired although it has this thread. */
	if (current->flags & PF_EXITING || !flt_proc_has_room())
		return;
	nobody = flt_proc_lock_nobody();
	leave_row(t);
	flt_proc_unlock(nobody->tgid);
	t->minor_base += t->account.minor;
	t->major_base += t->account.major;
	memset(&t->account, 0, sizeof(t->account));
	join_row(t, false);
}

/* Count the end of a fault of which only the entries were probed. */
static void count_open(struct flt_account *a, u64 open, bool major)
{
	if (major)
		a->major++;
	else
		a->minor++;
	a->kind[flt_open_kind(open)]++;
	flt_account_handled(a, open & FAULT_FLAG_VMA_LOCK, open & FLT_OPEN_HAD_VMA_LOCK,
			    open & FLT_OPEN_REMOTE, flt_open_attempts(open), false);
}

/*
 * Count the open fault if the kernel has counted a fault. If it has counted a minor and a
 * major one, the probe missed one of them, and nobody knows which.
 */
static void settle_open(struct flt_task *t)
{
	u64 minor = flt_task_minor_ahead(t, t->task), open = t->open;

	if (!(open & FLT_OPEN_ENTERED) || !(minor || flt_task_major_ahead(t, t->task)))
		return;
	count_open(&t->account, open, !minor);
	count_open(&flt_tally_here()->account, open, !minor);
	/* Readers see the count before they see that no fault is open. */
	smp_store_release(&t->open, 0);
}

void flt_task_settle(struct flt_task *t)
{
	u64 minor, major;

	settle_open(t);
	minor = flt_task_minor_ahead(t, t->task);
	major = flt_task_major_ahead(t, t->task);
	flt_account_missed(&t->account, minor, major);
	flt_account_missed(&flt_tally_here()->account, minor, major);
}

void flt_task_abandon(struct flt_task *t)
{
	struct flt_account *all = &flt_tally_here()->account;

	if (t->open & FLT_OPEN_ENTERED) {
		t->account.unfinished++;
		all->unfinished++;
	} else if (t->open) {
		t->account.dropped++;
		all->dropped++;
	}
	t->open = 0;
}

bool flt_task_has_missed(void)
{
	struct flt_task *t;
	bool missed;

	preempt_disable();
	t = flt_task_find(current);
	missed = t && flt_task_minor_ahead(t, t->task) + flt_task_major_ahead(t, t->task) >
		      !!(t->open & FLT_OPEN_ENTERED);
	preempt_enable();
	return missed;
}

/* What changes when a thread ends one fault and enters another. */
struct task_moment {
	u64 open, minor, major;
};

static struct task_moment moment_of(const struct flt_task *t)
{
	struct task_moment m = {
		/* Pairs with the stores that end a fault after its count. */
		.open = smp_load_acquire(&t->open),
		.minor = READ_ONCE(t->account.minor),
		.major = READ_ONCE(t->account.major),
	};

	/* Read what belongs to this moment afterwards. See is_still(). */
	smp_rmb();
	return m;
}

/* Return true if the thread has not entered a fault since @m. */
static bool is_still(const struct flt_task *t, const struct task_moment *m)
{
	struct task_moment now;

	/* The caller has read what belongs to @m. */
	smp_rmb();
	now = moment_of(t);
	return now.open == m->open && now.minor == m->minor && now.major == m->major;
}

/*
 * Add the open fault of @m to @sum if the kernel has counted its end. The kernel counts the
 * end of a fault before the thread enters the next one.
 */
static void read_open(const struct flt_task *t, const struct task_moment *m,
		      struct flt_account *sum)
{
	u64 minor = READ_ONCE(t->task->min_flt) - t->minor_base - m->minor;
	u64 major = READ_ONCE(t->task->maj_flt) - t->major_base - m->major;

	if (m->open & FLT_OPEN_ENTERED && (minor || major) && is_still(t, m))
		count_open(sum, m->open, !minor);
}

/* A thread that faults all the time may change under the reader. Then its account will do. */
#define READ_TRIES 8

void flt_task_read(const struct flt_task *t, struct flt_account *sum)
{
	struct flt_account copy;
	struct task_moment m;
	int n;

	for (n = 0; n < READ_TRIES; n++) {
		m = moment_of(t);
		memset(&copy, 0, sizeof(copy));
		flt_account_merge(&copy, &t->account);
		if (is_still(t, &m)) {
			read_open(t, &m, &copy);
			break;
		}
	}
	flt_account_merge(sum, &copy);
}

void flt_task_read_open(struct flt_account *sum)
{
	struct task_moment m;
	struct flt_task *t;
	u32 i;

	for (i = 0; i < chains; i++) {
		if (hlist_empty(&flt_task_hash[i]))
			continue;
		rcu_read_lock();
		hlist_for_each_entry_rcu(t, &flt_task_hash[i], node) {
			m = moment_of(t);
			read_open(t, &m, sum);
		}
		rcu_read_unlock();
		cond_resched();
	}
}

static void free_slot(struct rcu_head *rcu)
{
	flt_pool_free(&pool, container_of(rcu, struct flt_task, rcu));
}

/* End a slot, unless flt_task_end() or flt_task_end_all() has been faster. */
static void end_slot(struct flt_task *t)
{
	/* The row is LIVE while the slot is in it. Caller is in an RCU read section. */
	pid_t tgid = READ_ONCE(t->proc->tgid);

	flt_proc_lock(tgid);
	if (!hlist_unhashed(&t->node)) {
		if (t->task == current && flt_proc_is_started())
			flt_task_settle(t);
		else
			settle_open(t);
		/* Accounting stops while the thread sleeps in a fault: nobody knows its end. */
		if (t->task == current || !(t->open & FLT_OPEN_ENTERED))
			flt_task_abandon(t);
		leave_row(t);
		raw_spin_lock(lock_of(t->task));
		hlist_del_init_rcu(&t->node);
		raw_spin_unlock(lock_of(t->task));
		call_rcu_hurry(&t->rcu, free_slot);
	}
	flt_proc_unlock(tgid);
}

void flt_task_end(void)
{
	struct task_struct *task = current;
	struct flt_task *t = flt_task_find(task);
	bool last = !atomic_read(&task->signal->live);
	struct flt_proc *p;

	if (t)
		end_slot(t);
	if (!last)
		return;
	/*
	 * signal->live is 0 before all threads have come here, so several threads may see
	 * themselves as the last one. The one that leaves no slot behind ends the row.
	 */
	p = flt_proc_lock_find(task);
	if (!p)
		return;
	if (!p->threads && p->state == FLT_ROW_LIVE) {
		p->cgroup = flt_cgroup_of(task);
		flt_proc_end(p);
	}
	flt_proc_unlock(p->tgid);
	flt_proc_retire();
}

void flt_task_end_all(void)
{
	struct hlist_node *node;
	u32 i;

	for (i = 0; i < chains; i++) {
		/* end_slot() counts on this CPU. preempt_disable() starts an RCU section, too. */
		do {
			preempt_disable();
			node = rcu_dereference_sched(hlist_first_rcu(&flt_task_hash[i]));
			if (node)
				end_slot(hlist_entry(node, struct flt_task, node));
			preempt_enable();
		} while (node);
		cond_resched();
	}
	/* Wait for free_slot(). */
	rcu_barrier();
	flt_pool_drain(&pool);
}

static void each_slot(void (*reset)(struct flt_task *t))
{
	struct flt_task *t;
	u32 i;

	for (i = 0; i < chains; i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(t, &flt_task_hash[i], node)
			reset(t);
		rcu_read_unlock();
		cond_resched();
	}
}

static void reset_huge(struct flt_task *t)
{
	WRITE_ONCE(t->huge, 0);
}

void flt_task_reset_huge(void)
{
	each_slot(reset_huge);
}

static void reset_lock_waits(struct flt_task *t)
{
	WRITE_ONCE(t->delays.lock_since, 0);
	WRITE_ONCE(t->delays.lock_wait, 0);
}

void flt_task_reset_lock_waits(void)
{
	each_slot(reset_lock_waits);
}
