// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "hook.h"
#include "proc.h"
#include "wss.h"

struct tracker {
	u32 id;			/* 0: free; never reused */
	u32 owner;		/* port ID of the socket */
	struct flt_wss_config config;
	bool closing;
	bool stretched;		/* the round under way, by the budget */
	u64 due;		/* ns, the round under way */
	u64 last_key, overwritten, busy;
	u64 untracked;		/* under table_lock */
	struct delayed_work work;
	/* Of the work alone. */
	struct flt_wss_scan scan;
	struct flt_proc_report proc;
};

enum target_state { TARGET_FREE, TARGET_FRESH, TARGET_LIVE, TARGET_ENDED };

struct totals {
	u64 first_touch, refault, major;	/* bytes */
	bool known;
};

struct target {
	enum target_state state;
	struct tracker *tracker;
	struct pid *pid;
	u64 serial;		/* never reused */
	u32 tgid;
	u64 start;
	char comm[TASK_COMM_LEN];
	/* The address space of the last scan: to be compared with, pinned against reuse. */
	struct mm_struct *mm;
	u64 scanned;		/* ns, when accessed bits were last clear; 0: never */
	struct totals totals;
	u64 made;		/* samples; the last is at (made - 1) % history */
	struct flt_wss_sample *ring;
};

/* In process context: trackers, and of a target all that table_lock does not guard. */
static DEFINE_MUTEX(lock);
/* State FREE to FRESH, with what that fills in; and closing, which ends it. */
static DEFINE_RAW_SPINLOCK(table_lock);
static struct target targets[FLT_WSS_TARGETS];
static struct tracker trackers[FLT_WSS_TRACKERS];
static u64 last_serial;
static u32 last_id;
static unsigned int followers;
static struct flt_hook *fork_hook;
static struct workqueue_struct *workers;

/* Under table_lock. NULL: no slot left. */
static struct target *take_slot(struct tracker *tr, struct pid *pid, u64 born)
{
	struct target *t;

	for (t = targets; t < targets + FLT_WSS_TARGETS; t++) {
		if (t->state != TARGET_FREE)
			continue;
		t->state = TARGET_FRESH;
		t->tracker = tr;
		t->pid = get_pid(pid);
		t->serial = ++last_serial;
		t->scanned = born;
		return t;
	}
	return NULL;
}

/* Under lock, by the tracker's work, or when that runs no more. */
static void give_slot(struct target *t)
{
	struct flt_wss_sample *ring = t->ring;
	struct mm_struct *mm = t->mm;
	struct pid *pid = t->pid;

	raw_spin_lock(&table_lock);
	memset(t, 0, sizeof(*t));
	raw_spin_unlock(&table_lock);
	put_pid(pid);
	if (mm)
		mmdrop(mm);
	kvfree(ring);
}

static struct target *find_target(const struct pid *pid)
{
	struct target *t;

	for (t = targets; t < targets + FLT_WSS_TARGETS; t++)
		if (t->pid == pid && (t->state == TARGET_FRESH || t->state == TARGET_LIVE))
			return t;
	return NULL;
}

void flt_wss_fork(struct task_struct *parent, struct task_struct *child)
{
	struct target *t;

	if (!READ_ONCE(followers))
		return;
	raw_spin_lock(&table_lock);
	t = find_target(task_tgid(parent));
	/* A child's accessed bits are clear at its birth. */
	if (t && t->tracker->config.follow && !t->tracker->closing &&
	    !take_slot(t->tracker, task_tgid(child), ktime_get_mono_fast_ns()))
		t->tracker->untracked++;
	raw_spin_unlock(&table_lock);
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

static void read_totals(struct tracker *tr, const struct target *t, struct totals *totals)
{
	const struct flt_account *a = &tr->proc.account;
	u64 touched, swapped;

	memset(totals, 0, sizeof(*totals));
	totals->known = flt_proc_watching();
	if (!totals->known || flt_proc_read(t->tgid, &tr->proc) || tr->proc.start != t->start)
		return;
	touched = a->kind[FLT_KIND_ANON] + a->kind[FLT_KIND_FILE] + a->kind[FLT_KIND_SHARED] +
		  a->kind[FLT_KIND_COW];
	swapped = a->kind[FLT_KIND_SWAP];
	totals->first_touch = (touched << PAGE_SHIFT) + a->kind[FLT_KIND_HUGE] * PMD_SIZE;
	totals->major = a->major << PAGE_SHIFT;
	totals->refault = max(swapped << PAGE_SHIFT, totals->major);
}

/* A slot that exec made another process's is never found again by that pid: totals only grow. */
static void subtract(struct flt_wss_sample *s, const struct totals *now, const struct totals *last)
{
	s->accounted = now->known && last->known;
	if (!s->accounted)
		return;
	s->first_touch = now->first_touch - min(now->first_touch, last->first_touch);
	s->refault = now->refault - min(now->refault, last->refault);
	s->major = now->major - min(now->major, last->major);
}

static void store(struct tracker *tr, struct target *t, const struct flt_wss_sample *sample)
{
	struct flt_wss_sample *slot = &t->ring[t->made % tr->config.history];

	if (t->made >= tr->config.history)
		tr->overwritten++;
	*slot = *sample;
	slot->key = ++tr->last_key;
	slot->index = ++t->made;
}

/* Once per process and round. Returns the ns that count against the budget. */
static u64 scan_mm(struct tracker *tr, struct target *t, struct mm_struct *mm)
{
	struct flt_wss_sample sample = { .time = ktime_get_ns() };
	struct totals totals;
	bool begun;

	read_totals(tr, t, &totals);
	flt_wss_scan(mm, &tr->closing, &tr->scan);
	mutex_lock(&lock);
	begun = t->mm != mm;
	/* Gone before anything could be seen: its last window is unknown. */
	if (t->scanned && tr->scan.slices) {
		sample.window = sample.time - t->scanned;
		sample.scan = tr->scan;
		if (begun)
			sample.scan.flags |= FLT_WSS_BEGUN;
		if (tr->stretched)
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
	mutex_unlock(&lock);
	return tr->scan.held;
}

/* Under lock: who it is now; exec may have changed that. False: no memory for its samples. */
static bool look(struct tracker *tr, struct target *t, struct task_struct *task)
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

static void end(struct target *t)
{
	mutex_lock(&lock);
	t->state = TARGET_ENDED;
	if (!t->made)
		give_slot(t);
	mutex_unlock(&lock);
}

static u64 visit(struct tracker *tr, struct target *t)
{
	struct task_struct *task = get_pid_task(t->pid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? mm_of(task) : NULL;
	bool ready;
	u64 busy = 0;

	if (!mm) {
		end(t);
		goto out;
	}
	mutex_lock(&lock);
	ready = look(tr, t, task);
	mutex_unlock(&lock);
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
static void make_room(struct tracker *tr)
{
	struct target *t, *oldest;
	unsigned int free_slots;

	do {
		oldest = NULL;
		free_slots = 0;
		for (t = targets; t < targets + FLT_WSS_TARGETS; t++) {
			if (t->state == TARGET_FREE)
				free_slots++;
			else if (t->state == TARGET_ENDED && t->tracker == tr &&
				 (!oldest || t->serial < oldest->serial))
				oldest = t;
		}
		if (oldest && free_slots < FLT_WSS_TARGETS / 4) {
			tr->overwritten += min_t(u64, oldest->made, tr->config.history);
			give_slot(oldest);
		}
	} while (oldest && free_slots < FLT_WSS_TARGETS / 4);
}

static void round_of(struct work_struct *work)
{
	struct tracker *tr = container_of(to_delayed_work(work), struct tracker, work);
	u64 begin = ktime_get_ns(), busy = 0, next, earliest, now;
	struct target *t;

	for (t = targets; t < targets + FLT_WSS_TARGETS && !READ_ONCE(tr->closing); t++) {
		enum target_state state;
		bool ours;

		raw_spin_lock(&table_lock);
		state = t->state;
		ours = t->tracker == tr;
		raw_spin_unlock(&table_lock);
		if (ours && (state == TARGET_FRESH || state == TARGET_LIVE))
			busy += visit(tr, t);
	}
	mutex_lock(&lock);
	make_room(tr);
	mutex_unlock(&lock);
	if (READ_ONCE(tr->closing))
		return;
	now = ktime_get_ns();
	next = tr->due + tr->config.interval;
	earliest = begin + div_u64(busy * 100, tr->config.budget);
	tr->stretched = earliest > next;
	tr->due = max3(next, earliest, now);
	queue_delayed_work(workers, &tr->work, nsecs_to_jiffies(tr->due - now));
}

/* Under lock. */
static int add(struct tracker *tr, u32 tgid)
{
	struct target *t = NULL;
	struct task_struct *task;
	struct pid *pid = NULL;
	int err = -ESRCH;

	rcu_read_lock();
	task = pid_task(find_pid_ns(tgid, &init_pid_ns), PIDTYPE_TGID);
	if (task && pid_alive(task)) {
		pid = get_pid(task_tgid(task));
		err = task->flags & PF_KTHREAD ? -EINVAL : 0;
	}
	rcu_read_unlock();
	if (err)
		goto out;
	err = -EBUSY;
	raw_spin_lock(&table_lock);
	if (!find_target(pid)) {
		t = take_slot(tr, pid, 0);
		err = t ? 0 : -ENOSPC;
	}
	raw_spin_unlock(&table_lock);
out:
	put_pid(pid);
	return err;
}

/* Under lock, once its work runs no more. */
static void clear(struct tracker *tr)
{
	struct target *t;

	for (t = targets; t < targets + FLT_WSS_TARGETS; t++)
		if (t->tracker == tr)
			give_slot(t);
	tr->id = 0;
}

static int follow(struct tracker *tr)
{
	int err = tr->config.follow ? flt_hook_get(fork_hook) : 0;

	if (!err)
		WRITE_ONCE(followers, followers + tr->config.follow);
	return err;
}

static void unfollow(struct tracker *tr)
{
	WRITE_ONCE(followers, followers - tr->config.follow);
	if (tr->config.follow)
		flt_hook_put(fork_hook);
}

int flt_wss_track(u32 owner, const u32 *tgids, u32 count, const struct flt_wss_config *config,
		  u32 *id)
{
	struct tracker *tr;
	int err = -ENOSPC;
	u32 i;

	mutex_lock(&lock);
	for (tr = trackers; tr < trackers + FLT_WSS_TRACKERS; tr++)
		if (!tr->id)
			break;
	if (tr == trackers + FLT_WSS_TRACKERS)
		goto out;
	memset(tr, 0, sizeof(*tr));
	INIT_DELAYED_WORK(&tr->work, round_of);
	tr->config = *config;
	tr->owner = owner;
	err = follow(tr);
	if (err)
		goto out;
	tr->id = ++last_id ?: ++last_id;
	for (i = 0; i < count; i++) {
		err = add(tr, tgids[i]);
		if (err)
			goto err_add;
	}
	tr->due = ktime_get_ns();
	*id = tr->id;
	queue_delayed_work(workers, &tr->work, 0);
	goto out;

err_add:
	raw_spin_lock(&table_lock);
	tr->closing = true;
	raw_spin_unlock(&table_lock);
	unfollow(tr);
	clear(tr);
out:
	mutex_unlock(&lock);
	return err;
}

/* Under lock. */
static struct tracker *find(u32 id)
{
	struct tracker *tr;

	for (tr = trackers; tr < trackers + FLT_WSS_TRACKERS; tr++)
		if (id && tr->id == id && !tr->closing)
			return tr;
	return NULL;
}

/* Under lock, which is let go for a while. */
static void close_tracker(struct tracker *tr)
{
	raw_spin_lock(&table_lock);
	WRITE_ONCE(tr->closing, true);
	raw_spin_unlock(&table_lock);
	unfollow(tr);
	mutex_unlock(&lock);
	cancel_delayed_work_sync(&tr->work);
	mutex_lock(&lock);
	clear(tr);
}

int flt_wss_untrack(u32 owner, u32 id)
{
	struct tracker *tr;
	int err = 0;

	mutex_lock(&lock);
	tr = find(id);
	if (!tr)
		err = -ENOENT;
	else if (tr->owner != owner)
		err = -EACCES;
	else
		close_tracker(tr);
	mutex_unlock(&lock);
	return err;
}

void flt_wss_untrack_all(u32 owner)
{
	struct tracker *tr;

	mutex_lock(&lock);
	for (tr = trackers; tr < trackers + FLT_WSS_TRACKERS; tr++)
		if (tr->id && !tr->closing && tr->owner == owner)
			close_tracker(tr);
	mutex_unlock(&lock);
}

int flt_wss_status(u32 id, struct flt_wss_status *s)
{
	struct tracker *tr;
	struct target *t;

	memset(s, 0, sizeof(*s));
	mutex_lock(&lock);
	tr = find(id);
	if (tr) {
		s->id = id;
		s->config = tr->config;
		s->samples = tr->last_key;
		s->overwritten = tr->overwritten;
		s->busy = tr->busy;
		raw_spin_lock(&table_lock);
		s->untracked = tr->untracked;
		for (t = targets; t < targets + FLT_WSS_TARGETS; t++) {
			s->targets += t->tracker == tr;
			s->live += t->tracker == tr && t->state != TARGET_ENDED;
		}
		raw_spin_unlock(&table_lock);
	}
	mutex_unlock(&lock);
	return tr ? 0 : -ENOENT;
}

int flt_wss_last_key(u32 id, u64 *key)
{
	struct tracker *tr;

	mutex_lock(&lock);
	tr = find(id);
	if (tr)
		*key = tr->last_key;
	mutex_unlock(&lock);
	return tr ? 0 : -ENOENT;
}

static void report(const struct target *t, const struct flt_wss_sample *sample,
		   struct flt_wss_report *r)
{
	r->id = t->tracker->id;
	r->tgid = t->tgid;
	r->start = t->start;
	r->ended = t->state == TARGET_ENDED;
	memcpy(r->comm, t->comm, sizeof(r->comm));
	r->sample = *sample;
}

/* The oldest sample of @t that the cursor has not passed. */
static const struct flt_wss_sample *next_sample(const struct target *t, struct flt_wss_cursor *c)
{
	u32 history = t->tracker->config.history;
	const struct flt_wss_sample *s;

	if (c->serial != t->serial) {
		c->serial = t->serial;
		c->index = 0;
	}
	if (t->made > history)
		c->index = max(c->index, t->made - history);
	for (; c->index < t->made; c->index++) {
		s = &t->ring[c->index % history];
		if (s->key > c->last)
			break;
		if (s->key > c->after)
			return s;
	}
	return NULL;
}

int flt_wss_next(struct flt_wss_cursor *c, struct flt_wss_report *r)
{
	const struct flt_wss_sample *s = NULL;

	mutex_lock(&lock);
	for (; c->slot < FLT_WSS_TARGETS; c->slot++) {
		const struct target *t = &targets[c->slot];

		if (!t->ring || t->tracker->id != c->id)
			continue;
		s = next_sample(t, c);
		if (s) {
			report(t, s, r);
			break;
		}
	}
	mutex_unlock(&lock);
	return s ? 0 : -ENOENT;
}

int flt_wss_latest(u32 *slot, struct flt_wss_report *r)
{
	int err = -ENOENT;

	mutex_lock(&lock);
	for (; *slot < FLT_WSS_TARGETS; (*slot)++) {
		const struct target *t = &targets[*slot];

		if (!t->ring || !t->made)
			continue;
		report(t, &t->ring[(t->made - 1) % t->tracker->config.history], r);
		err = 0;
		break;
	}
	mutex_unlock(&lock);
	return err;
}

int __init flt_wss_init(struct flt_hook *fork)
{
	fork_hook = fork;
	flt_wss_scan_init();
	workers = alloc_workqueue("flt_wss", WQ_UNBOUND | WQ_FREEZABLE, 0);
	return workers ? 0 : -ENOMEM;
}

void flt_wss_exit(void)
{
	struct tracker *tr;

	mutex_lock(&lock);
	for (tr = trackers; tr < trackers + FLT_WSS_TRACKERS; tr++)
		if (tr->id && !tr->closing)
			close_tracker(tr);
	mutex_unlock(&lock);
	destroy_workqueue(workers);
}
