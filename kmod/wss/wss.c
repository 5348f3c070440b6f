// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include "hook/hook.h"
#include "wss/round.h"
#include "wss/table.h"
#include "wss/tlb.h"
#include "wss/wss.h"

static struct flt_wss_tracker trackers[FLT_WSS_MAX_TRACKERS];
static u32 last_id, open_trackers;
static unsigned int followers;		/* trackers that follow forks */
static struct flt_hook *fork_hook;

void flt_wss_fork(struct task_struct *parent, struct task_struct *child)
{
	struct flt_wss_target *t;

	if (!READ_ONCE(followers))
		return;
	raw_spin_lock(&flt_wss_table_lock);
	t = flt_wss_find_target(task_tgid(parent));
	/* The accessed bits of a new child are clear. */
	if (t && t->tracker->config.follow && !t->tracker->closing &&
	    !flt_wss_take_target(t->tracker, task_tgid(child), ktime_get_mono_fast_ns(),
				 true) &&
	    !t->tracker->config.cgroup)	/* the next round counts those of a cgroup */
		t->tracker->untracked++;
	raw_spin_unlock(&flt_wss_table_lock);
}

/* Caller holds flt_wss_lock. */
static int add_process(struct flt_wss_tracker *tr, u32 tgid)
{
	struct flt_wss_target *t = NULL;
	struct task_struct *task;
	struct pid *pid = NULL;
	int err = -ESRCH;

	rcu_read_lock();
	task = pid_task(find_pid_ns(tgid, tr->reader.ns ?: &init_pid_ns), PIDTYPE_TGID);
	if (task && pid_alive(task)) {
		pid = get_pid(task_tgid(task));
		err = task->flags & PF_KTHREAD ? -EINVAL : 0;
	}
	rcu_read_unlock();
	if (err)
		goto out;
	err = -EBUSY;
	raw_spin_lock(&flt_wss_table_lock);
	if (!flt_wss_find_target(pid)) {
		t = flt_wss_take_target(tr, pid, 0, false);
		err = t ? 0 : -ENOSPC;
	}
	raw_spin_unlock(&flt_wss_table_lock);
out:
	put_pid(pid);
	return err;
}

/* Caller holds flt_wss_lock. The work has been cancelled. */
static void free_tracker(struct flt_wss_tracker *tr)
{
	struct flt_wss_target *t;

	flt_wss_for_each_target(t)
		if (t->tracker == tr)
			flt_wss_release_target(t);
	sock_put(tr->owner);
	flt_pidns_put(&tr->reader);
	open_trackers--;
	tr->id = 0;
}

static int start_following(struct flt_wss_tracker *tr)
{
	int err = tr->config.follow ? flt_hook_get(fork_hook) : 0;

	if (!err)
		WRITE_ONCE(followers, followers + tr->config.follow);
	return err;
}

static void stop_following(struct flt_wss_tracker *tr)
{
	WRITE_ONCE(followers, followers - tr->config.follow);
	if (tr->config.follow)
		flt_hook_put(fork_hook);
}

int flt_wss_track(struct sock *owner, const u32 *tgids, u32 count,
		  const struct flt_wss_config *config, u32 *id)
{
	struct flt_wss_tracker *tr;
	int err = -ENOSPC;
	u32 i;

	mutex_lock(&flt_wss_lock);
	for (tr = trackers; tr < trackers + FLT_WSS_MAX_TRACKERS; tr++)
		if (!tr->id)
			break;
	if (tr == trackers + FLT_WSS_MAX_TRACKERS)
		goto out;
	memset(tr, 0, sizeof(*tr));
	flt_wss_round_prepare(tr);
	tr->config = *config;
	tr->owner = owner;
	err = start_following(tr);
	if (err)
		goto out;
	sock_hold(owner);
	flt_pidns_get(&tr->reader);
	open_trackers++;
	tr->id = ++last_id ?: ++last_id;
	for (i = 0; i < count; i++) {
		err = add_process(tr, tgids[i]);
		if (err)
			goto err_add;
	}
	*id = tr->id;
	flt_wss_round_start(tr);
	goto out;

err_add:
	raw_spin_lock(&flt_wss_table_lock);
	tr->closing = true;
	raw_spin_unlock(&flt_wss_table_lock);
	stop_following(tr);
	free_tracker(tr);
out:
	mutex_unlock(&flt_wss_lock);
	return err;
}

/*
 * Caller holds flt_wss_lock. A reader in a PID namespace finds the trackers of its namespace
 * only.
 */
static struct flt_wss_tracker *find_tracker(u32 id)
{
	struct flt_wss_tracker *tr;

	for (tr = trackers; tr < trackers + FLT_WSS_MAX_TRACKERS; tr++)
		if (id && tr->id == id && !tr->closing)
			return flt_pidns_is_open(&tr->reader) ? tr : NULL;
	return NULL;
}

/*
 * Caller holds flt_wss_lock, which is released while waiting for the work: the work takes
 * it, too. "closing" keeps others from using the tracker meanwhile.
 */
static void close_tracker(struct flt_wss_tracker *tr)
{
	struct flt_wss_target *t;

	raw_spin_lock(&flt_wss_table_lock);
	WRITE_ONCE(tr->closing, true);
	raw_spin_unlock(&flt_wss_table_lock);
	stop_following(tr);
	mutex_unlock(&flt_wss_lock);
	cancel_delayed_work_sync(&tr->work);
	/* Only the work changes the tracker's slots, and it was cancelled. */
	flt_wss_for_each_target(t)
		if (t->tracker == tr)
			flt_wss_restore_target(t);
	mutex_lock(&flt_wss_lock);
	free_tracker(tr);
}

int flt_wss_untrack(const struct sock *owner, u32 id)
{
	struct flt_wss_tracker *tr;
	int err = 0;

	mutex_lock(&flt_wss_lock);
	tr = find_tracker(id);
	if (!tr)
		err = -ENOENT;
	else if (tr->owner != owner)
		err = -EACCES;
	else
		close_tracker(tr);
	mutex_unlock(&flt_wss_lock);
	return err;
}

void flt_wss_untrack_orphans(void)
{
	struct flt_wss_tracker *tr;

	mutex_lock(&flt_wss_lock);
	for (tr = trackers; tr < trackers + FLT_WSS_MAX_TRACKERS; tr++)
		if (tr->id && !tr->closing && sock_flag(tr->owner, SOCK_DEAD))
			close_tracker(tr);
	mutex_unlock(&flt_wss_lock);
}

u32 flt_wss_count(void)
{
	return READ_ONCE(open_trackers);
}

size_t flt_wss_memory(void)
{
	const struct flt_wss_target *t;
	size_t bytes = 0;

	mutex_lock(&flt_wss_lock);
	flt_wss_for_each_target(t)
		if (t->ring)
			bytes += t->tracker->config.history * sizeof(*t->ring);
	mutex_unlock(&flt_wss_lock);
	return bytes;
}

int flt_wss_status(u32 id, struct flt_wss_status *s)
{
	struct flt_wss_tracker *tr;
	struct flt_wss_target *t;
	u32 i;

	memset(s, 0, sizeof(*s));
	mutex_lock(&flt_wss_lock);
	tr = find_tracker(id);
	if (tr) {
		s->id = id;
		s->config = tr->config;
		s->samples = tr->last_key;
		s->overwritten = tr->overwritten;
		s->busy = tr->busy;
		s->rounds = tr->rounds;
		for (i = 0; i < FLT_BUCKETS; i++)
			s->holds[i] = READ_ONCE(tr->holds[i]);
		raw_spin_lock(&flt_wss_table_lock);
		s->untracked = tr->untracked;
		flt_wss_for_each_target(t) {
			s->targets += t->tracker == tr;
			s->live += t->tracker == tr && t->state != TARGET_ENDED;
		}
		raw_spin_unlock(&flt_wss_table_lock);
	}
	mutex_unlock(&flt_wss_lock);
	return tr ? 0 : -ENOENT;
}

int flt_wss_last_key(u32 id, u64 *key)
{
	struct flt_wss_tracker *tr;

	mutex_lock(&flt_wss_lock);
	tr = find_tracker(id);
	if (tr)
		*key = tr->last_key;
	mutex_unlock(&flt_wss_lock);
	return tr ? 0 : -ENOENT;
}

/* The TGID is the one that current knows. The host may read the trackers of PID namespaces. */
static void fill_report(const struct flt_wss_target *t, const struct flt_wss_sample *sample,
			struct flt_wss_report *r)
{
	r->id = t->tracker->id;
	r->tgid = pid_vnr(t->pid);
	r->start = t->start;
	r->ended = t->state == TARGET_ENDED;
	memcpy(r->comm, t->comm, sizeof(r->comm));
	r->sample = *sample;
}

/* Return the oldest sample of @t that the cursor has not passed, or NULL. */
static const struct flt_wss_sample *next_sample(const struct flt_wss_target *t,
						struct flt_wss_cursor *c)
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

	mutex_lock(&flt_wss_lock);
	for (; c->slot < FLT_WSS_MAX_TARGETS; c->slot++) {
		const struct flt_wss_target *t = &flt_wss_targets[c->slot];

		if (!t->ring || t->tracker->id != c->id)
			continue;
		s = next_sample(t, c);
		if (s) {
			fill_report(t, s, r);
			break;
		}
	}
	mutex_unlock(&flt_wss_lock);
	return s ? 0 : -ENOENT;
}

int flt_wss_latest(u32 *slot, struct flt_wss_report *r)
{
	int err = -ENOENT;

	mutex_lock(&flt_wss_lock);
	for (; *slot < FLT_WSS_MAX_TARGETS; (*slot)++) {
		const struct flt_wss_target *t = &flt_wss_targets[*slot];

		if (!t->ring || !t->made)
			continue;
		fill_report(t, &t->ring[(t->made - 1) % t->tracker->config.history], r);
		err = 0;
		break;
	}
	mutex_unlock(&flt_wss_lock);
	return err;
}

int __init flt_wss_init(struct flt_hook *fork)
{
	fork_hook = fork;
	flt_tlb_init();
	return flt_wss_round_init();
}

void flt_wss_exit(void)
{
	struct flt_wss_tracker *tr;

	mutex_lock(&flt_wss_lock);
	for (tr = trackers; tr < trackers + FLT_WSS_MAX_TRACKERS; tr++)
		if (tr->id && !tr->closing)
			close_tracker(tr);
	mutex_unlock(&flt_wss_lock);
	flt_wss_round_exit();
}
