// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include "account/proc.h"
#include "account/report.h"
#include "account/task.h"
#include "mm/cgroup.h"

/* Serializes walks: flt_proc_walk serves one reader. */
static DEFINE_MUTEX(walk_lock);

/* Add some threads of the row that is walked. Return true if there are more. */
static bool add_some_tasks(struct flt_proc_walk *w)
{
	struct flt_task *t;
	int n;

	for (n = 0; n < FLT_TASK_BATCH; n++) {
		t = flt_task_after(w->row, w->task);
		if (!t || t->serial > w->last_task)
			return false;
		flt_task_read(t, w->account);
		w->task = t->serial;
	}
	return true;
}

/*
 * Add a row and its threads to @sum. Caller holds walk_lock and has locked the row, which is
 * unlocked on return and in between, because there may be many threads.
 */
static void sum_row(struct flt_proc *p, struct flt_account *sum)
{
	struct flt_proc_walk *w = &flt_proc_walk;
	pid_t tgid = p->tgid;

	flt_account_merge(sum, &p->ended);
	w->account = sum;
	w->task = 0;
	w->last_task = p->last_task;
	WRITE_ONCE(w->row, p);
	/* If the row retires meanwhile, its threads have ended and were added: row is NULL. */
	while (w->row && add_some_tasks(w)) {
		flt_proc_unlock(tgid);
		cond_resched();
		flt_proc_lock(tgid);
	}
	WRITE_ONCE(w->row, NULL);
	flt_proc_unlock(tgid);
}

static pid_t tgid_of(const struct flt_proc *p, const struct flt_pidns *reader)
{
	return flt_pidns_recall(reader, &p->ids, p->start, p->tgid);
}

/* Caller holds walk_lock and has locked the row, which is unlocked on return. */
static void report_row(struct flt_proc *p, const struct flt_pidns *reader,
		       struct flt_proc_report *r)
{
	const struct flt_task *t = flt_task_after(p, 0);

	/* A thread with a slot has not exited, so its group leader exists (maybe as a zombie). */
	if (t)
		flt_proc_copy_comm(p->comm, t->task->group_leader);
	r->id = p->id;
	r->cgroup = t ? flt_cgroup_of(t->task) : p->cgroup;
	r->start = p->start;
	r->first = p->first;
	r->tgid = tgid_of(p, reader);
	r->threads = p->threads;
	r->ended = p->state == FLT_ROW_ENDED;
	r->whole = p->whole;
	memcpy(r->comm, p->comm, sizeof(r->comm));
	memset(&r->account, 0, sizeof(r->account));
	sum_row(p, &r->account);
}

/* Lock the first row at or after the cursor that @reader sees. */
static struct flt_proc *lock_next(const struct flt_pidns *reader, struct flt_proc_cursor *c)
{
	struct flt_proc *p;

	for (; (p = flt_proc_lock_next(c)); c->id++) {
		if (tgid_of(p, reader))
			return p;
		flt_proc_unlock(p->tgid);
		cond_resched();
	}
	return NULL;
}

int flt_report_next_proc(const struct flt_pidns *reader, struct flt_proc_cursor *cursor,
			 struct flt_proc_report *report)
{
	struct flt_proc *p;

	mutex_lock(&walk_lock);
	p = lock_next(reader, cursor);
	if (p)
		report_row(p, reader, report);
	mutex_unlock(&walk_lock);
	return p ? 0 : -ENOENT;
}

/* Lock the newest row of a process that has ended, by the number that @reader knew. */
static struct flt_proc *lock_ended(const struct flt_pidns *reader, pid_t tgid)
{
	struct flt_proc_cursor c;
	struct flt_proc *p;
	u64 newest = 0;

	flt_proc_cursor_begin(&c, 0);
	for (; (p = lock_next(reader, &c)); c.id++) {
		if (tgid_of(p, reader) == tgid)
			newest = p->id;
		flt_proc_unlock(p->tgid);
	}
	return newest ? flt_proc_lock_id(newest) : NULL;
}

static struct flt_proc *lock_newest(const struct flt_pidns *reader, pid_t tgid)
{
	struct task_struct *task;
	struct flt_proc *p;
	bool alive;

	if (!reader->ns)
		return flt_proc_lock_newest(tgid);
	task = flt_pidns_find(reader, tgid);
	if (!task)
		return lock_ended(reader, tgid);
	rcu_read_lock();
	/* Else its leader may have been freed: see flt_proc_session_add(). */
	alive = pid_alive(task);
	p = alive ? flt_proc_lock_find(task) : NULL;
	rcu_read_unlock();
	put_task_struct(task);
	return alive ? p : lock_ended(reader, tgid);
}

int flt_report_proc(const struct flt_pidns *reader, pid_t tgid, struct flt_proc_report *report)
{
	struct flt_proc *p;

	mutex_lock(&walk_lock);
	p = lock_newest(reader, tgid);
	if (p)
		report_row(p, reader, report);
	mutex_unlock(&walk_lock);
	return p ? 0 : -ESRCH;
}

/*
 * A thread that settles a fault after its CPU was read and before its slot is read drops out
 * of this sum, until the next one. Never report less than before.
 */
static void keep_increasing(struct flt_account *all)
{
	static struct flt_account reported;	/* protected by walk_lock */
	const struct flt_counter *c;

	for (c = flt_counters; c->attribute; c++) {
		u64 *now = (u64 *)((char *)all + c->offset);
		u64 *before = (u64 *)((char *)&reported + c->offset);

		*now = *before = max(*now, *before);
	}
}

void flt_report_tally(struct flt_tally_sum *sum)
{
	mutex_lock(&walk_lock);
	flt_tally_read(sum);
	flt_task_read_open(&sum->all);
	keep_increasing(&sum->all);
	sum_row(flt_proc_lock_nobody(), &sum->other);
	mutex_unlock(&walk_lock);
	sum->lost_proc = sum->other.minor + sum->other.major + sum->other.failed;
}

void flt_report_inner(const struct flt_pidns *reader, struct flt_tally_sum *sum, u64 *rows)
{
	struct flt_proc_cursor c;
	struct flt_proc *p;

	*rows = 0;
	flt_proc_cursor_begin(&c, 0);
	mutex_lock(&walk_lock);
	flt_tally_read(sum);
	memset(&sum->all, 0, sizeof(sum->all));
	memset(&sum->other, 0, sizeof(sum->other));
	memset(sum->failure, 0, sizeof(sum->failure));
	for (; (p = lock_next(reader, &c)); c.id++) {
		++*rows;
		sum_row(p, &sum->all);
	}
	mutex_unlock(&walk_lock);
}

static void report_task(const struct flt_task *t, const struct flt_pidns *reader,
			struct flt_task_report *r)
{
	r->serial = t->serial;
	r->tid = flt_pidns_tid(reader, t->task);
	flt_proc_copy_comm(r->comm, t->task);
	memset(&r->account, 0, sizeof(r->account));
	flt_task_read(t, &r->account);
}

int flt_report_tasks(const struct flt_pidns *reader, pid_t tgid, u64 after,
		     struct flt_task_report *r)
{
	struct flt_proc *p = lock_newest(reader, tgid);
	struct flt_task *t;
	int n;

	if (!p)
		return -ESRCH;
	for (n = 0; n < FLT_TASK_BATCH; n++) {
		t = flt_task_after(p, n ? r[n - 1].serial : after);
		if (!t)
			break;
		report_task(t, reader, &r[n]);
	}
	flt_proc_unlock(p->tgid);
	cond_resched();
	return n;
}

void flt_report_session(u32 bit, struct flt_session_sum *sum)
{
	struct flt_proc_cursor c;
	struct flt_proc *p;

	memset(sum, 0, sizeof(*sum));
	mutex_lock(&walk_lock);
	flt_proc_cursor_begin(&c, BIT(bit));
	flt_retired_walk_begin(bit, c.last);
	for (; (p = flt_proc_lock_next(&c)); c.id++) {
		flt_retired_walk_at(c.id);
		sum->rows++;
		sum->live += p->state == FLT_ROW_LIVE;
		sum_row(p, &sum->account);
		cond_resched();
	}
	flt_retired_walk_end(sum);
	mutex_unlock(&walk_lock);
}
