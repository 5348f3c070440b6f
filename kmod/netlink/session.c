// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/srcu.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include "fault/life.h"
#include "fault/switch.h"
#include "ledger/numa.h"
#include "mm/pidns.h"
#include "netlink/session.h"
#include "stream/stacktable.h"
#include "account/report.h"
#include "account/task.h"
#include "ledger/thp.h"

struct session {
	u32 id;			/* 0: free; never reused */
	bool open;		/* readers may find the session */
	struct sock *owner;	/* holds a reference */
	struct flt_pidns reader;	/* its PID namespace when it opened the session */
	bool follow, notes, moves, thp, numa;
	bool returns;		/* has called flt_switch_get_returns() */
	bool pinned;		/* holds a reference to the module */
};

/*
 * Protects all variables below. Taken in process context only, because arming a probe sleeps. Who
 * opens or closes a session may hold the lock for many grace periods, and the buffer of a stream
 * is full before that. Therefore readers do not take the lock. They find a session that is open in
 * a read section of closing, and a session that closes waits for them before anything else.
 */
static DEFINE_MUTEX(lock);
DEFINE_STATIC_SRCU(closing);
static struct session sessions[FLT_SESSION_MAX_OPEN];
static u32 last_id, open_sessions;
static unsigned int accounting_users;
static u64 accounting_since;

/* The exit hook comes first and goes last, because it ends the slots of threads. */
static struct flt_hook *const accounting_hooks[] = {
	&flt_life_exit, &flt_life_exec, &flt_life_fork,
};

static int start_accounting(void)
{
	int err;

	lockdep_assert_held(&lock);
	if (accounting_users++)
		return 0;
	err = flt_task_start();
	if (err)
		goto err_task;
	err = flt_hook_get_all(accounting_hooks, ARRAY_SIZE(accounting_hooks));
	if (err)
		goto err_task;
	err = flt_switch_start();
	if (err)
		goto err_mode;
	/* All faults of processes that start from here on are counted. */
	flt_proc_start(ktime_get_boottime_ns());
	accounting_since = ktime_get_ns();
	return 0;

err_mode:
	flt_hook_put_all(accounting_hooks, ARRAY_SIZE(accounting_hooks));
err_task:
	/* No slot was created, because no fault was probed. */
	flt_task_end_all();
	flt_proc_end_all();
	accounting_users--;
	return err;
}

static void stop_accounting(void)
{
	lockdep_assert_held(&lock);
	if (--accounting_users)
		return;
	accounting_since = 0;
	/* From here on forks create no slots, and exits do not look for missed faults. */
	flt_proc_start(U64_MAX);
	flt_switch_stop();
	flt_hook_put_all(&accounting_hooks[1], ARRAY_SIZE(accounting_hooks) - 1);
	/* The fork hook may stay armed for a tracker. Wait for handlers that saw accounting on. */
	synchronize_rcu();
	/* Until the slots are gone, the exit hook ends those of threads that exit. */
	flt_task_end_all();
	flt_hook_put(&flt_life_exit);
	flt_proc_end_all();
}

static void settle(struct work_struct *work)
{
	mutex_lock(&lock);
	flt_switch_settle();
	mutex_unlock(&lock);
}

/* To remove the probe on faults that is no longer needed takes grace periods. Nobody waits. */
static DECLARE_WORK(settle_work, settle);

/* How often to look whether the return probe had enough instances. Until then it misses calls. */
#define WATCH_JIFFIES (HZ / 10)

static void watch(struct work_struct *work);
static DECLARE_DELAYED_WORK(watch_work, watch);

static void watch(struct work_struct *work)
{
	mutex_lock(&lock);
	flt_switch_grow();
	if (flt_switch_is_returns())
		schedule_delayed_work(&watch_work, WATCH_JIFFIES);
	mutex_unlock(&lock);
}

static int get_returns(void)
{
	int err = flt_switch_get_returns();

	if (!err) {
		schedule_work(&settle_work);
		schedule_delayed_work(&watch_work, WATCH_JIFFIES);
	}
	return err;
}

static void put_returns(void)
{
	flt_switch_put_returns();
	schedule_work(&settle_work);
}

static void cancel_works(void)
{
	cancel_work_sync(&settle_work);
	cancel_delayed_work_sync(&watch_work);
}

/* The work item of get_returns() may run at once, so take the lock although nobody else does. */
int __init flt_session_init(bool always, bool returns)
{
	int err = 0;

	if (!always)
		return 0;
	mutex_lock(&lock);
	if (returns)
		err = get_returns();
	if (!err)
		err = start_accounting();
	mutex_unlock(&lock);
	if (err)
		cancel_works();
	return err;
}

static u32 followers(void)
{
	u32 bit, mask = 0;

	for (bit = 0; bit < FLT_SESSION_MAX_OPEN; bit++)
		if (sessions[bit].id && sessions[bit].follow)
			mask |= BIT(bit);
	return mask;
}

static void close_bit(u32 bit)
{
	bool returns;

	WRITE_ONCE(sessions[bit].open, false);
	synchronize_srcu(&closing);
	flt_stream_close(bit);
	flt_hist_close(bit);
	if (sessions[bit].thp)
		flt_thp_put();
	if (sessions[bit].numa)
		flt_numa_put();
	if (sessions[bit].moves)
		flt_hook_put(&flt_life_move);
	if (sessions[bit].notes)
		flt_hook_put(&flt_life_map);
	if (sessions[bit].pinned)
		module_put(THIS_MODULE);
	sock_put(sessions[bit].owner);
	flt_pidns_put(&sessions[bit].reader);
	returns = sessions[bit].returns;
	memset(&sessions[bit], 0, sizeof(sessions[bit]));
	open_sessions--;
	flt_life_follow(followers());
	/* Wait for forks that saw the session, so that no row gets its bit any more. */
	synchronize_rcu();
	flt_proc_session_close(bit);
	flt_retired_close(bit);
	/* In this order, because accounting that stops needs no other probe. */
	stop_accounting();
	if (returns)
		put_returns();
}

void flt_session_exit(void)
{
	u32 bit;

	mutex_lock(&lock);
	for (bit = 0; bit < FLT_SESSION_MAX_OPEN; bit++)
		if (sessions[bit].id)
			close_bit(bit);
	if (accounting_users)
		stop_accounting();
	mutex_unlock(&lock);
	cancel_works();
}

static int add_process(u32 bit, u32 tgid)
{
	struct task_struct *task;
	int err;

	do {
		task = flt_pidns_find(&sessions[bit].reader, tgid);
		if (!task)
			return -ESRCH;
		err = flt_proc_session_add(bit, task);
		put_task_struct(task);
	} while (err == -EAGAIN);
	return err;
}

/* Arm the hooks that the session needs for notes and ledgers. */
static int arm_extras(struct session *s, const struct flt_session_config *config)
{
	int err = 0;

	if (config->stream && config->stream->notes) {
		err = flt_hook_get(&flt_life_map);
		s->notes = !err;
	}
	if (!err && config->stream && config->stream->areas) {
		err = flt_hook_get(&flt_life_move);
		s->moves = !err;
	}
	if (!err && config->thp) {
		err = flt_thp_get();
		s->thp = !err;
	}
	if (!err && config->numa) {
		err = flt_numa_get();
		s->numa = !err;
	}
	return err;
}

static int open_stream(u32 bit, const struct flt_session_config *config)
{
	struct session *s = &sessions[bit];

	/* A reader of relay files holds a reference to the module, too. */
	if (config->netlink) {
		s->pinned = try_module_get(THIS_MODULE);
		if (!s->pinned)
			return -ENODEV;
	}
	config->stream->everybody = !config->count;
	config->stream->files = !config->netlink;
	config->stream->reader = &s->reader;
	return flt_stream_open(bit, s->id, config->stream);
}

static int open_hist(u32 bit, const struct flt_session_config *config)
{
	config->hist->everybody = !config->count;
	config->hist->reader = &sessions[bit].reader;
	return flt_hist_open(bit, config->hist);
}

int flt_session_open(struct sock *owner, const struct flt_session_config *config, u32 *id)
{
	bool follow = config->follow;
	u32 bit, i;
	int err;

	mutex_lock(&lock);
	for (bit = 0; bit < FLT_SESSION_MAX_OPEN; bit++)
		if (!sessions[bit].id)
			break;
	err = -ENOSPC;
	if (bit == FLT_SESSION_MAX_OPEN)
		goto out;
	err = -ENOTSUPP;
	if ((follow && !(flt_hook_features() & FLT_FEATURE_FOLLOW)) ||
	    (config->thp && !(flt_hook_features() & FLT_FEATURE_THP)) ||
	    (config->numa && !(flt_hook_features() & FLT_FEATURE_NUMA)))
		goto out;
	if (!config->counts) {
		err = get_returns();
		if (err)
			goto out;
	}
	err = start_accounting();
	if (err)
		goto err_accounting;
	err = flt_retired_open(bit);
	if (err)
		goto err_retired;
	sessions[bit].returns = !config->counts;
	sessions[bit].id = ++last_id ?: ++last_id;
	sock_hold(owner);
	sessions[bit].owner = owner;
	flt_pidns_get(&sessions[bit].reader);
	sessions[bit].follow = follow;
	open_sessions++;
	flt_life_follow(followers());
	err = arm_extras(&sessions[bit], config);
	if (!err && config->hist)
		err = open_hist(bit, config);
	for (i = 0; !err && i < config->count; i++)
		err = add_process(bit, config->tgids[i]);
	if (!err && config->stream)
		err = open_stream(bit, config);
	if (err) {
		close_bit(bit);
		goto out;
	}
	*id = sessions[bit].id;
	/* A reader that finds the session finds all of it: pairs with find_session(). */
	smp_store_release(&sessions[bit].open, true);
	goto out;

err_retired:
	stop_accounting();
err_accounting:
	if (!config->counts)
		put_returns();
out:
	mutex_unlock(&lock);
	return err;
}

/*
 * A reader in a PID namespace finds the sessions of its namespace only. Caller holds the lock, or
 * is in a read section of closing.
 */
static int find_session(u32 id)
{
	u32 bit;

	for (bit = 0; id && bit < FLT_SESSION_MAX_OPEN; bit++)
		/* Pairs with flt_session_open(). */
		if (smp_load_acquire(&sessions[bit].open) && sessions[bit].id == id)
			return flt_pidns_is_open(&sessions[bit].reader) ? bit : -ENOENT;
	return -ENOENT;
}

static int find_owned(const struct sock *owner, u32 id)
{
	int bit = find_session(id);

	return bit < 0 || sessions[bit].owner == owner ? bit : -EACCES;
}

int flt_session_close(const struct sock *owner, u32 id)
{
	int bit;

	mutex_lock(&lock);
	bit = find_owned(owner, id);
	if (bit >= 0)
		close_bit(bit);
	mutex_unlock(&lock);
	return min(bit, 0);
}

/* A closed socket is marked dead before the release notifier runs, see netlink_release(). */
void flt_session_close_orphans(void)
{
	u32 bit;

	mutex_lock(&lock);
	for (bit = 0; bit < FLT_SESSION_MAX_OPEN; bit++)
		if (sessions[bit].id && sock_flag(sessions[bit].owner, SOCK_DEAD))
			close_bit(bit);
	mutex_unlock(&lock);
}

int flt_session_pull(const struct sock *owner, u32 id,
		     int (*pull)(struct flt_relay *relay, void *arg), void *arg)
{
	int section = srcu_read_lock(&closing);
	int bit = find_owned(owner, id);
	int err = bit < 0 ? bit : pull(flt_stream_pulled(bit), arg);

	srcu_read_unlock(&closing, section);
	return err;
}

int flt_session_read(u32 id, struct flt_session_report *r)
{
	int section = srcu_read_lock(&closing);
	int bit = find_session(id);

	if (bit >= 0) {
		r->id = id;
		flt_report_session(bit, &r->sum);
		flt_stream_count(bit, &r->written, &r->lost, &r->lost_notes);
		r->stacks_once = flt_stream_stacks_once(bit);
		r->stacks = flt_stacktable_used();
	}
	srcu_read_unlock(&closing, section);
	return bit < 0 ? bit : 0;
}

int flt_session_hist(u32 id, enum flt_hist_group group, u32 index, struct flt_hist_report *report)
{
	int section = srcu_read_lock(&closing);
	int err = find_session(id);

	if (err >= 0)
		err = flt_hist_read(err, group, index, report);
	srcu_read_unlock(&closing, section);
	return err;
}

int flt_session_slowest(u32 id, int cpu, u32 slot, struct flt_slow *fault)
{
	int section = srcu_read_lock(&closing);
	int err = find_session(id);

	if (err >= 0)
		err = flt_hist_slowest(err, cpu, slot, fault);
	srcu_read_unlock(&closing, section);
	return err;
}

u32 flt_session_mask(u32 id)
{
	int section = srcu_read_lock(&closing);
	int bit = find_session(id);

	srcu_read_unlock(&closing, section);
	return bit < 0 ? 0 : BIT(bit);
}

u32 flt_session_count(void)
{
	return READ_ONCE(open_sessions);
}

u64 flt_session_since(void)
{
	return READ_ONCE(accounting_since);
}
