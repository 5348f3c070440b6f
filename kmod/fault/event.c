// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include "fault/event.h"
#include "mm/kind.h"

/*
 * The account to charge current to when it has no slot: its row if there is or
 * can be one, else what its CPU keeps for all such. Under flt_proc_lock.
 */
static struct flt_account *slotless(void)
{
	struct flt_tally *tally = flt_tally_here();
	struct flt_proc *p = flt_proc_find_charge(current);

	if (p) {
		tally->lost_task++;
		return &p->ended;
	}
	tally->lost_proc++;
	return &tally->other;
}

/* Count what is unusual about a fault that ended, in one account. */
static void count_extras(const struct flt_event *e, struct flt_account *a)
{
	if (e->remote)
		a->remote++;
	if (e->attempts > 1)
		a->stitched++;
	a->attempts = max_t(u64, a->attempts, e->attempts);
}

/* Count the same in @a and for the machine. */
static void extras(const struct flt_event *e, struct flt_account *a)
{
	count_extras(e, a);
	count_extras(e, &flt_tally_here()->account);
}

static void slow(const struct flt_event *e, u32 result, u64 ns)
{
	struct flt_slow s = {
		.ns = ns,
		.time = ktime_get_mono_fast_ns(),
		.address = e->address,
		.tgid = current->tgid,
		.tid = current->pid,
		.attempts = e->attempts,
		.kind = e->kind,
		.result = result,
		.remote = e->remote,
	};

	memcpy(s.comm, current->comm, sizeof(s.comm));
	s.comm[sizeof(s.comm) - 1] = 0;
	flt_tally_slow(flt_tally_here(), &s, result < FLT_RESULT_FAILED);
}

void flt_event_slow(struct flt_event *e, u32 result, u64 ns, unsigned long wanted)
{
	slow(e, result, ns);
	if (wanted)
		flt_stream_submit(e, result, ns, wanted);
}

/* What may want it: a thread without a slot is its process's all the same. */
static u32 wanted_by(const struct flt_event *e)
{
	return flt_stream_wanted(e->task ? READ_ONCE(e->task->proc->sessions) :
					   flt_proc_sessions(current));
}

static void stream(struct flt_event *e, u32 result, u64 ns)
{
	u32 wanted = wanted_by(e);

	if (wanted)
		flt_stream_submit(e, result, ns, wanted);
}

static void charge_end(const struct flt_event *e, struct flt_account *a, bool major,
		       u32 bucket, u64 ns)
{
	flt_account_fault(a, major, e->kind, bucket, ns);
	extras(e, a);
}

void flt_event_submit(struct flt_event *e, bool major, u64 ns)
{
	u32 result = major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR;
	u32 bucket = flt_bucket_of(ns);

	if (!e->unusual) {
		flt_event_submit_common(e, major, ns);
		return;
	}
	if (flt_tally_fault(flt_tally_here(), major, e->kind, bucket, ns))
		slow(e, result, ns);
	if (e->task) {
		charge_end(e, &e->task->account, major, bucket, ns);
	} else {
		raw_spin_lock(&flt_proc_lock);
		charge_end(e, slotless(), major, bucket, ns);
		raw_spin_unlock(&flt_proc_lock);
	}
	if (static_branch_unlikely(&flt_stream_on))
		stream(e, result, ns);
}

static void charge_failure(const struct flt_event *e, struct flt_account *a)
{
	a->failed++;
	extras(e, a);
}

void flt_event_fail(struct flt_event *e, enum flt_failure failure, u64 ns)
{
	struct flt_tally *t = flt_tally_here();

	t->failure[failure]++;
	if (unlikely(ns > t->slowest.floor))
		slow(e, FLT_RESULT_FAILED + failure, ns);
	if (e->task) {
		charge_failure(e, &e->task->account);
	} else {
		raw_spin_lock(&flt_proc_lock);
		charge_failure(e, slotless());
		raw_spin_unlock(&flt_proc_lock);
	}
	if (static_branch_unlikely(&flt_stream_on))
		stream(e, FLT_RESULT_FAILED + failure, ns);
}

void flt_event_retry(const struct flt_event *e)
{
	flt_tally_here()->account.retried++;
	if (e->task) {
		e->task->account.retried++;
		return;
	}
	raw_spin_lock(&flt_proc_lock);
	slotless()->retried++;
	raw_spin_unlock(&flt_proc_lock);
}

/* Apart, since it has to look for the row: what is common calls nothing, and saves no registers. */
static noinline void describe_slotless(struct flt_event *e, struct vm_area_struct *vma)
{
	u32 wanted = wanted_by(e);

	if (wanted)
		flt_stream_describe(e, vma, ~0u, wanted);
}

void flt_event_describe(struct flt_event *e, struct vm_area_struct *vma)
{
	u32 wanted, kinds = BIT(e->kind & ~FLT_KIND_UNSETTLED);

	/* In another's memory it is still current's files: as it is with all we count. */
	if (unlikely(!e->task)) {
		describe_slotless(e, vma);
		return;
	}
	/* Not known yet: it depends on what the kernel leaves, or is that of the first attempt. */
	if (e->kind & FLT_KIND_UNSETTLED || e->task->retry_attempts)
		kinds = ~0u;
	wanted = flt_stream_wanted(READ_ONCE(e->task->proc->sessions));
	if (wanted)
		flt_stream_describe(e, vma, kinds, wanted);
}
