// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "account/proc.h"
#include "mm/cgroup.h"
#include "wss/table.h"

void flt_wss_give(struct flt_wss_target *t)
{
	struct flt_wss_sample *ring = t->ring;
	struct mm_struct *mm = t->mm;
	struct pid *pid = t->pid;

	raw_spin_lock(&flt_wss_table_lock);
	memset(t, 0, sizeof(*t));
	raw_spin_unlock(&flt_wss_table_lock);
	put_pid(pid);
	if (mm)
		mmdrop(mm);
	kvfree(ring);
}

void flt_wss_give_back(struct flt_wss_target *t)
{
	struct flt_wss_tracker *tr = t->tracker;

	if (!tr->config.inject || !t->mm || !mmget_not_zero(t->mm))
		return;
	flt_wss_scan(t->mm, FLT_WSS_GIVE_BACK, NULL, tr->holds, &tr->scan);
	mmput_async(t->mm);
}

/* The leader may have ended before its threads. NULL: all have. */
static struct mm_struct *mm_of(struct task_struct *leader)
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

static void read_totals(struct flt_wss_tracker *tr, const struct flt_wss_target *t,
			struct flt_wss_totals *totals)
{
	const struct flt_account *a = &tr->proc.account;
	u64 touched, swapped;

	memset(totals, 0, sizeof(*totals));
	totals->known = flt_proc_is_started();
	if (!totals->known || flt_report_proc(t->tgid, &tr->proc) || tr->proc.start != t->start)
		return;
	touched = a->kind[FLT_KIND_ANON] + a->kind[FLT_KIND_FILE] + a->kind[FLT_KIND_SHARED] +
		  a->kind[FLT_KIND_COW];
	swapped = a->kind[FLT_KIND_SWAP];
	totals->first_touch = (touched << PAGE_SHIFT) + a->kind[FLT_KIND_HUGE] * PMD_SIZE;
	totals->major = a->major << PAGE_SHIFT;
	totals->refault = max(swapped << PAGE_SHIFT, totals->major);
}

/* A slot that exec made another process's is never found again by that pid: totals only grow. */
static void subtract(struct flt_wss_sample *s, const struct flt_wss_totals *now,
		     const struct flt_wss_totals *last)
{
	s->accounted = now->known && last->known;
	if (!s->accounted)
		return;
	s->first_touch = now->first_touch - min(now->first_touch, last->first_touch);
	s->refault = now->refault - min(now->refault, last->refault);
	s->major = now->major - min(now->major, last->major);
}

static void store(struct flt_wss_tracker *tr, struct flt_wss_target *t,
		  const struct flt_wss_sample *sample)
{
	struct flt_wss_sample *slot = &t->ring[t->made % tr->config.history];

	if (t->made >= tr->config.history)
		tr->overwritten++;
	*slot = *sample;
	slot->key = ++tr->last_key;
	slot->index = ++t->made;
	slot->round = tr->rounds + 1;
}

/*
 * Longer than asked: by the budget, or since this process, or one before it in the round,
 * had its lock held. Timers are late by a tick or two anyway.
 */
static bool stretched(const struct flt_wss_tracker *tr, u64 window)
{
	const u64 interval = tr->config.interval;

	return tr->stretched || window > interval + interval / 8 + 2 * TICK_NSEC;
}

/* Once per process and round. Returns the ns that count against the budget. */
static u64 scan_mm(struct flt_wss_tracker *tr, struct flt_wss_target *t, struct mm_struct *mm)
{
	struct flt_wss_sample sample = { .time = ktime_get_ns() };
	struct flt_wss_totals totals;
	bool begun;

	read_totals(tr, t, &totals);
	flt_wss_scan(mm, tr->config.inject ? FLT_WSS_WITHHOLD : FLT_WSS_ACCESSED, &tr->closing,
		     tr->holds, &tr->scan);
	mutex_lock(&flt_wss_lock);
	begun = t->mm != mm;
	/* Gone before anything could be seen: its last window is unknown. */
	if (t->scanned && tr->scan.slices) {
		sample.window = sample.time - t->scanned;
		sample.scan = tr->scan;
		if (begun)
			sample.scan.flags |= FLT_WSS_BEGUN;
		if (stretched(tr, sample.window))
			sample.scan.flags |= FLT_WSS_STRETCHED;
		subtract(&sample, &totals, &t->totals);
		store(tr, t, &sample);
	}
	if (begun) {
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

/* Under lock: who it is now; exec may have changed that. False: no memory for its samples. */
static bool look(struct flt_wss_tracker *tr, struct flt_wss_target *t, struct task_struct *task)
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

static void end(struct flt_wss_target *t)
{
	mutex_lock(&flt_wss_lock);
	t->state = TARGET_ENDED;
	if (!t->made)
		flt_wss_give(t);
	mutex_unlock(&flt_wss_lock);
}

/*
 * The child of a vfork() has its parent's memory until it executes. Two readers would take
 * the bits from each other, and the pages would count twice: it waits for its own.
 */
static bool borrows(const struct flt_wss_tracker *tr, const struct flt_wss_target *t,
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

static u64 visit(struct flt_wss_tracker *tr, struct flt_wss_target *t)
{
	struct task_struct *task = get_pid_task(t->pid, PIDTYPE_TGID);
	struct mm_struct *mm = NULL;
	bool ready = false;
	u64 busy = 0;

	if (task && (!tr->config.cgroup || flt_cgroup_holds(tr->config.cgroup, task)))
		mm = mm_of(task);
	if (!mm) {
		/* It may have left the cgroup. */
		flt_wss_give_back(t);
		end(t);
		goto out;
	}
	mutex_lock(&flt_wss_lock);
	if (!borrows(tr, t, mm))
		ready = look(tr, t, task);
	mutex_unlock(&flt_wss_lock);
	if (ready)
		busy = scan_mm(tr, t, mm);
	/* If all others have gone, taking it down is work for another's account. */
	mmput_async(mm);
out:
	if (task)
		put_task_struct(task);
	return busy;
}

/* Ended processes are kept while others do not need their slots. */
static void make_room(struct flt_wss_tracker *tr)
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
		if (oldest && free_slots < FLT_WSS_MAX_TARGETS / 4) {
			tr->overwritten += min_t(u64, oldest->made, tr->config.history);
			flt_wss_give(oldest);
		}
	} while (oldest && free_slots < FLT_WSS_MAX_TARGETS / 4);
}

/*
 * Those of the cgroup that are not yet tracked: its processes come by moving, too, and
 * nobody tells. One that has ended but was not waited for is in no slot, and stays out.
 */
static void take_in(struct flt_wss_tracker *tr)
{
	struct task_struct *task;
	u64 missed = 0;

	rcu_read_lock();
	for_each_process(task) {
		struct pid *pid = task_tgid(task);
		struct flt_wss_target *t;

		if (!pid || task->flags & PF_KTHREAD || !atomic_read(&task->signal->live) ||
		    !flt_cgroup_holds(tr->config.cgroup, task))
			continue;
		raw_spin_lock(&flt_wss_table_lock);
		t = flt_wss_find_target(pid);
		if (!t)
			t = flt_wss_take_slot(tr, pid, 0);
		missed += !t || t->tracker != tr;
		raw_spin_unlock(&flt_wss_table_lock);
	}
	rcu_read_unlock();
	raw_spin_lock(&flt_wss_table_lock);
	tr->untracked = max(tr->untracked, missed);
	raw_spin_unlock(&flt_wss_table_lock);
}

void flt_wss_round(struct work_struct *work)
{
	struct flt_wss_tracker *tr = container_of(to_delayed_work(work), struct flt_wss_tracker,
						  work);
	u64 begin = ktime_get_ns(), busy = 0, next, earliest, now;
	struct flt_wss_target *t;

	if (tr->config.cgroup) {
		take_in(tr);
		busy = ktime_get_ns() - begin;
	}
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
			busy += visit(tr, t);
	}
	mutex_lock(&flt_wss_lock);
	tr->rounds++;
	make_room(tr);
	mutex_unlock(&flt_wss_lock);
	if (READ_ONCE(tr->closing))
		return;
	now = ktime_get_ns();
	next = tr->due + tr->config.interval;
	earliest = begin + div_u64(busy * 100, tr->config.budget);
	tr->stretched = earliest > next;
	tr->due = max3(next, earliest, now);
	queue_delayed_work(flt_wss_workers, &tr->work, nsecs_to_jiffies(tr->due - now));
}
