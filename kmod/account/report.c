// SPDX-License-Identifier: GPL-2.0-only
#include <linux/string.h>
#include "account/proc.h"
#include "account/report.h"
#include "account/task.h"

/* Caller holds flt_proc_lock. The number of thread slots bounds the time. */
static void sum_row(const struct flt_proc *p, struct flt_account *sum)
{
	const struct flt_task *t;

	flt_account_merge(sum, &p->ended);
	list_for_each_entry(t, &p->tasks, sibling)
		flt_account_merge(sum, &t->account);
}

static void report_row(struct flt_proc *p, struct flt_proc_report *r)
{
	const struct flt_task *t = list_first_entry_or_null(&p->tasks, struct flt_task, sibling);

	/* A thread with a slot has not exited, so its group leader exists (maybe as a zombie). */
	if (t)
		flt_proc_copy_comm(p->comm, t->task->group_leader);
	r->id = p->id;
	r->start = p->start;
	r->first = p->first;
	r->tgid = p->tgid;
	r->threads = p->threads;
	r->ended = p->state == FLT_ROW_ENDED;
	r->whole = p->whole;
	memcpy(r->comm, p->comm, sizeof(r->comm));
	memset(&r->account, 0, sizeof(r->account));
	sum_row(p, &r->account);
}

int flt_report_next_proc(u32 *slot, u32 sessions, struct flt_proc_report *report)
{
	u32 rows = flt_proc_rows();

	for (; *slot < rows; (*slot)++) {
		struct flt_proc *p = flt_proc_row(*slot);
		bool found;

		/* Don't take the lock for a free row. */
		if (READ_ONCE(p->state) == FLT_ROW_FREE)
			continue;
		raw_spin_lock(&flt_proc_lock);
		found = p->state != FLT_ROW_FREE && (!sessions || p->sessions & sessions);
		if (found)
			report_row(p, report);
		raw_spin_unlock(&flt_proc_lock);
		if (found)
			return 0;
	}
	return -ENOENT;
}

int flt_report_proc(pid_t tgid, struct flt_proc_report *report)
{
	struct flt_proc *p;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_find_tgid(tgid);
	if (p)
		report_row(p, report);
	raw_spin_unlock(&flt_proc_lock);
	return p ? 0 : -ESRCH;
}

static void report_task(const struct flt_task *t, struct flt_task_report *r)
{
	r->tid = t->task->pid;
	flt_proc_copy_comm(r->comm, t->task);
	memset(&r->account, 0, sizeof(r->account));
	flt_account_merge(&r->account, &t->account);
}

int flt_report_tasks(pid_t tgid, pid_t tid, struct flt_task_report *r)
{
	struct flt_task *t, *found[FLT_TASK_BATCH];
	int i, n = 0, err = -ESRCH;
	struct flt_proc *p;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_find_tgid(tgid);
	if (!p)
		goto out;
	/* The list is not in order of TID: keep the smallest ones, sorted by insertion. */
	list_for_each_entry(t, &p->tasks, sibling) {
		pid_t pid = t->task->pid;

		if (pid <= tid || (n == FLT_TASK_BATCH && pid > found[n - 1]->task->pid))
			continue;
		for (i = n < FLT_TASK_BATCH ? n++ : n - 1; i && found[i - 1]->task->pid > pid; i--)
			found[i] = found[i - 1];
		found[i] = t;
	}
	for (i = 0; i < n; i++)
		report_task(found[i], &r[i]);
	err = n;
out:
	raw_spin_unlock(&flt_proc_lock);
	return err;
}

void flt_report_session(u32 bit, struct flt_account *sum, u32 *rows, u32 *live,
			u64 *untracked)
{
	u32 i;

	memset(sum, 0, sizeof(*sum));
	*live = 0;
	raw_spin_lock(&flt_proc_lock);
	flt_proc_session_retired(bit, sum, rows, untracked);
	for (i = 0; i < flt_proc_rows(); i++) {
		const struct flt_proc *p = flt_proc_row(i);

		if (p->state == FLT_ROW_FREE || !(p->sessions & BIT(bit)))
			continue;
		sum_row(p, sum);
		++*rows;
		*live += p->state == FLT_ROW_LIVE;
	}
	raw_spin_unlock(&flt_proc_lock);
}
