// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/sched.h>
#include "event.h"

/*
 * The account to charge current to when it has no slot: its row if there is or
 * can be one, else what its CPU keeps for all such. Locked until charge_end.
 */
static struct flt_account *charge_begin(void)
{
	struct flt_tally *tally = flt_tally_here();
	struct task_struct *task = current;
	struct flt_proc *p;

	raw_spin_lock(&flt_proc_lock);
	/* A row that has ended is charged as it is: this may be its last thread in exit. */
	p = flt_proc_find(task->tgid, task->group_leader->start_boottime);
	if (!p && !(task->flags & PF_EXITING))
		p = flt_proc_of(task);
	if (p) {
		tally->lost_task++;
		return &p->ended;
	}
	tally->lost_proc++;
	return &tally->other;
}

static void charge_end(void)
{
	raw_spin_unlock(&flt_proc_lock);
}

static void extras(const struct flt_event *e, struct flt_account *a, struct flt_tally *t)
{
	if (e->remote) {
		a->remote++;
		t->remote++;
	}
	if (e->attempts > 1) {
		a->stitched++;
		t->stitched++;
	}
	a->attempts = max_t(u64, a->attempts, e->attempts);
	t->attempts = max_t(u64, t->attempts, e->attempts);
}

static struct flt_account *begin(const struct flt_event *e)
{
	return e->task ? &e->task->account : charge_begin();
}

static void end(const struct flt_event *e)
{
	if (!e->task)
		charge_end();
}

void flt_event_submit_slow(const struct flt_event *e, bool major, u32 bucket, u64 ns)
{
	struct flt_account *a = begin(e);

	flt_account_fault(a, major, e->kind, bucket, ns);
	extras(e, a, flt_tally_here());
	end(e);
}

void flt_event_fail(const struct flt_event *e, enum flt_failure failure)
{
	struct flt_tally *tally = flt_tally_here();
	struct flt_account *a = begin(e);

	a->failed++;
	tally->failure[failure]++;
	extras(e, a, tally);
	end(e);
}

void flt_event_retry(const struct flt_event *e)
{
	flt_tally_here()->retried++;
	begin(e)->retried++;
	end(e);
}
