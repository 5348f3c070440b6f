// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "account/proc.h"
#include "mm/cgroup.h"
#include "wss/round.h"
#include "wss/table.h"

static struct workqueue_struct *workers;

/* Return the address space of a process, or NULL. The leader may exit before its threads. */
static struct mm_struct *get_process_mm(struct task_struct *leader)
{
	struct mm_struct *mm = get_task_mm(leader);
	struct task_struct *t;

	if (mm)
		return mm;
	rcu_read_lock();
	for_each_thread(leader, t) {
		mm = get_task_mm(t);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/* Read how much memory the process has faulted in so far, by its account. */
static void read_totals(struct flt_wss_tracker *tr, const struct flt_wss_target *t,
			struct flt_wss_totals *totals)
{
	const struct flt_account *a = &tr->proc.account;
	u64 touched, swapped;

	memset(totals, 0, sizeof(*totals));
	totals->known = flt_proc_is_started();
	if (!totals->known || flt_report_proc(&flt_pidns_initial, t->tgid, &tr->proc) ||
	    tr->proc.start != t->start)
		return;
	touched = a->kind[FLT_KIND_ANON] + a->kind[FLT_KIND_FILE] + a->kind[FLT_KIND_SHARED] +
		  a->kind[FLT_KIND_COW];
	swapped = a->kind[FLT_KIND_SWAP];
	totals->first_touch = (touched << PAGE_SHIFT) + a->kind[FLT_KIND_HUGE] * PMD_SIZE;
	totals->major = a->major << PAGE_SHIFT;
	totals->refault = max(swapped << PAGE_SHIFT, totals->major);
}

/*
 * Set what was faulted in during the window. The totals belong to one row of the process
 * table, so they only grow; min() covers the case that the row was replaced.
 */
static void set_window_totals(struct flt_wss_sample *s, const struct flt_wss_totals *now,
			      const struct flt_wss_totals *last)
{
	s->accounted = now->known && last->known;
	if (!s->accounted)
		return;
	s->first_touch = now->first_touch - min(now->first_touch, last->first_touch);
	s->refault = now->refault - min(now->refault, last->refault);
	s->major = now->major - min(now->major, last->major);
}

/*
 * Return true if the window is longer than the interval: because of the budget, or because
 * the round waited for the mmap_lock of this process or of one before it. Timers may be
 * late by two ticks.
 */
static bool is_stretched(const struct flt_wss_tracker *tr, u64 window)
{
	const u64 interval = tr->config.interval;

	return tr->stretched || window > interval + interval / 8 + 2 * TICK_NSEC;
}

/* Scan a process and store the sample. Return the ns that count against the budget. */
static u64 scan_target(struct flt_wss_tracker *tr, struct flt_wss_target *t, struct mm_struct *mm)
{
	struct flt_wss_sample sample = { .time = ktime_get_ns() };
	struct flt_wss_totals totals;
	bool new_mm;

	read_totals(tr, t, &totals);
	flt_wss_scan(mm, tr->config.inject ? FLT_WSS_PROTECT : FLT_WSS_CLEAR_ACCESSED,
		     &tr->closing, tr->holds, &tr->scan);
	mutex_lock(&flt_wss_lock);
	new_mm = t->mm != mm;
	/* The first scan makes no sample. Nor does one that ended before its first slice. */
	if (t->scanned && tr->scan.slices) {
		sample.window = sample.time - t->scanned;
		sample.scan = tr->scan;
		if (new_mm)
			sample.scan.flags |= FLT_WSS_BEGUN;
		if (is_stretched(tr, sample.window))
			sample.scan.flags |= FLT_WSS_STRETCHED;
		set_window_totals(&sample, &totals, &t->totals);
		flt_wss_store_sample(t, &sample);
	}
	if (new_mm) {
		if (t->mm)
			mmdrop(t->mm);
		mmgrab(mm);
		t->mm = mm;
	}
	t->scanned = sample.time;
	t->totals = totals;
	tr->busy += tr->scan.held;
	mutex_unlock(&flt_wss_lock);
	return tr->scan.held;
}

/*
 * Update the identity of a process, which exec() may have changed, and make its slot LIVE.
 * Return false if there is no memory for samples. Caller holds flt_wss_lock.
 */
static bool identify_target(struct flt_wss_tracker *tr, struct flt_wss_target *t,
			    struct task_struct *task)
{
	if (!t->ring)
		t->ring = kvcalloc(tr->config.history, sizeof(*t->ring), GFP_KERNEL);
	t->tgid = task->tgid;
	t->start = task->start_boottime;
	memcpy(t->comm, task->comm, sizeof(t->comm));
	t->comm[sizeof(t->comm) - 1] = 0;
	if (t->ring)
		t->state = TARGET_LIVE;
	return t->ring;
}

/* Keep the slot for readers if it has samples. */
static void end_target(struct flt_wss_target *t)
{
	mutex_lock(&flt_wss_lock);
	t->state = TARGET_ENDED;
	if (!t->made)
		flt_wss_release_target(t);
	mutex_unlock(&flt_wss_lock);
}

/*
 * Return true if @mm belongs to another process of the tracker: the child of a vfork() uses
 * its parent's memory until it calls exec(). Scanning the memory for both would count its
 * pages twice, and each scan would clear the accessed bits that the other one needs.
 */
static bool shares_mm(const struct flt_wss_tracker *tr, const struct flt_wss_target *t,
		      const struct mm_struct *mm)
{
	const struct flt_wss_target *other;

	if (t->mm == mm)
		return false;
	flt_wss_for_each_target(other)
		if (other != t && other->tracker == tr && other->state == TARGET_LIVE &&
		    other->mm == mm)
			return true;
	return false;
}

/* Return the ns that count against the budget. */
static u64 visit_target(struct flt_wss_tracker *tr, struct flt_wss_target *t)
{
	struct task_struct *task = get_pid_task(t->pid, PIDTYPE_TGID);
	struct mm_struct *mm = NULL;
	bool ready = false;
	u64 busy = 0;

	if (task && (!tr->config.cgroup || flt_cgroup_holds(tr->config.cgroup, task)))
		mm = get_process_mm(task);
	if (!mm) {
		/* The process may live on, outside the cgroup. */
		flt_wss_restore_target(t);
		end_target(t);
		goto out;
	}
	mutex_lock(&flt_wss_lock);
	if (!shares_mm(tr, t, mm))
		ready = identify_target(tr, t, task);
	mutex_unlock(&flt_wss_lock);
	if (ready)
		busy = scan_target(tr, t, mm);
	/* Not mmput(): freeing the address space here would delay the round. */
	mmput_async(mm);
out:
	if (task)
		put_task_struct(task);
	return busy;
}

/* Release ended processes, oldest first, until others can be found (flt_wss_take_target()). */
static void reclaim_slots(struct flt_wss_tracker *tr)
{
	struct flt_wss_target *t, *oldest;
	unsigned int free_slots;

	do {
		oldest = NULL;
		free_slots = 0;
		flt_wss_for_each_target(t) {
			if (t->state == TARGET_FREE)
				free_slots++;
			else if (t->state == TARGET_ENDED && t->tracker == tr &&
				 (!oldest || t->serial < oldest->serial))
				oldest = t;
		}
		if (oldest && free_slots <= FLT_WSS_NAMED_TARGETS) {
			tr->overwritten += min_t(u64, oldest->made, tr->config.history);
			flt_wss_release_target(oldest);
		}
	} while (oldest && free_slots <= FLT_WSS_NAMED_TARGETS);
}

/* Bound the time without rescheduling: a reader of RCU must not sleep. */
#define PIDS_PER_BATCH 256

/*
 * Take a slot for a process of the cgroup that is not tracked yet. Return false if the
 * process needs a slot of this tracker and cannot have one. Zombies (no live thread) are
 * skipped: their slots are ENDED or released. Caller holds rcu_read_lock().
 */
static bool add_cgroup_member(struct flt_wss_tracker *tr, struct pid *pid, struct task_struct *task)
{
	struct flt_wss_target *t;

	if (task->flags & PF_KTHREAD || !atomic_read(&task->signal->live) ||
	    !flt_cgroup_holds(tr->config.cgroup, task) || !flt_pidns_tgid(&tr->reader, task))
		return true;
	raw_spin_lock(&flt_wss_table_lock);
	t = flt_wss_find_target(pid);
	if (!t)
		t = flt_wss_take_target(tr, pid, 0, true);
	raw_spin_unlock(&flt_wss_table_lock);
	return t && t->tracker == tr;
}

/*
 * Add the processes of the cgroup. Each round searches all processes, because the kernel does
 * not notify us when a process moves into a cgroup. As readdir() in /proc, the search visits
 * PIDs in order, so that a process that lives during the whole search is found, whichever
 * others end. Return the ns that count against the budget.
 */
static u64 add_cgroup_members(struct flt_wss_tracker *tr)
{
	u64 begin, busy = 0, missed = 0;
	int i, nr = 1;
	struct pid *pid;

	do {
		begin = ktime_get_ns();
		rcu_read_lock();
		for (i = 0; i < PIDS_PER_BATCH; i++) {
			struct task_struct *task;

			/* Before 5.11 find_ge_pid() was not exported, which does the same. */
			pid = idr_get_next(&init_pid_ns.idr, &nr);
			if (!pid)
				break;
			nr++;
			task = pid_task(pid, PIDTYPE_TGID);
			missed += task && !add_cgroup_member(tr, pid, task);
		}
		rcu_read_unlock();
		busy += ktime_get_ns() - begin;
		cond_resched();
	} while (pid && !READ_ONCE(tr->closing));
	raw_spin_lock(&flt_wss_table_lock);
	tr->untracked = max(tr->untracked, missed);
	raw_spin_unlock(&flt_wss_table_lock);
	return busy;
}

static void run_round(struct work_struct *work)
{
	struct flt_wss_tracker *tr = container_of(to_delayed_work(work), struct flt_wss_tracker,
						  work);
	u64 begin = ktime_get_ns(), busy = 0, next, earliest, now;
	struct flt_wss_target *t;

	if (tr->config.cgroup)
		busy = add_cgroup_members(tr);
	flt_wss_for_each_target(t) {
		enum flt_wss_state state;
		bool ours;

		if (READ_ONCE(tr->closing))
			return;
		raw_spin_lock(&flt_wss_table_lock);
		state = t->state;
		ours = t->tracker == tr;
		raw_spin_unlock(&flt_wss_table_lock);
		if (ours && (state == TARGET_FRESH || state == TARGET_LIVE))
			busy += visit_target(tr, t);
	}
	mutex_lock(&flt_wss_lock);
	tr->rounds++;
	reclaim_slots(tr);
	mutex_unlock(&flt_wss_lock);
	if (READ_ONCE(tr->closing))
		return;
	now = ktime_get_ns();
	next = tr->due + tr->config.interval;
	/* Scanning for "busy" ns uses the budget of busy * 100 / budget ns. */
	earliest = begin + div_u64(busy * 100, tr->config.budget);
	tr->stretched = earliest > next;
	tr->due = max3(next, earliest, now);
	queue_delayed_work(workers, &tr->work, nsecs_to_jiffies(tr->due - now));
}

void flt_wss_round_prepare(struct flt_wss_tracker *tr)
{
	INIT_DELAYED_WORK(&tr->work, run_round);
}

void flt_wss_round_start(struct flt_wss_tracker *tr)
{
	tr->due = ktime_get_ns();
	queue_delayed_work(workers, &tr->work, 0);
}

int __init flt_wss_round_init(void)
{
	workers = alloc_workqueue("flt_wss", WQ_UNBOUND | WQ_FREEZABLE, 0);
	return workers ? 0 : -ENOMEM;
}

void flt_wss_round_exit(void)
{
	destroy_workqueue(workers);
}
