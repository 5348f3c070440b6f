// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include "fault/cause.h"
#include "fault/event.h"
#include "hist/causes.h"
#include "mm/kind.h"

/*
 * Return the account to charge: that of the thread, or if it has no slot, of its row, which
 * is locked until charge_end(), or if there is no row, of this CPU.
 */
static struct flt_account *charge_begin(const struct flt_event *e, struct flt_proc **row)
{
	struct flt_tally *tally = flt_tally_here();

	*row = NULL;
	if (e->task)
		return &e->task->account;
	*row = flt_proc_lock_charge(current);
	if (!*row)
		return &tally->other;
	/* A thread that is exiting has no slot any more. */
	tally->lost_task += !(current->flags & PF_EXITING);
	return &(*row)->ended;
}

static void charge_end(struct flt_proc *row)
{
	if (row)
		flt_proc_unlock(row->tgid);
}

static void describe_slow(const struct flt_event *e, u32 result, u64 ns, struct flt_slow *s)
{
	*s = (struct flt_slow) {
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

	memcpy(s->comm, current->comm, sizeof(s->comm));
	s->comm[sizeof(s->comm) - 1] = 0;
}

static void record_slow(const struct flt_event *e, u32 result, u64 ns)
{
	struct flt_slow s;

	describe_slow(e, result, ns, &s);
	flt_tally_slow(flt_tally_here(), &s, result < FLT_RESULT_FAILED);
}

/* Out of line, because struct flt_slow takes much of the stack. @mask: at least one session. */
static noinline void record_slow_causes(const struct flt_event *e, u32 mask, bool major, u64 ns,
					const u64 *part)
{
	struct flt_slow s;

	describe_slow(e, major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR, ns, &s);
	memcpy(s.part, part, sizeof(s.part));
	flt_hist_slow(mask, &s);
}

/* Count a fault that waited. */
static noinline void count_waits(const struct flt_event *e, u32 mask, bool major, u32 bucket,
				 u64 ns)
{
	u64 part[__FLT_CAUSE_MAX];
	u32 i, slow = 0;

	flt_cause_split(e, ns, part);
	for (i = 0; i < __FLT_CAUSE_MAX; i++)
		if (part[i])
			slow |= flt_hist_cause(mask, bucket, ns, i, part[i]);
	if (slow)
		record_slow_causes(e, slow, major, ns, part);
}

static noinline void record_slow_plain(const struct flt_event *e, u32 mask, bool major, u64 ns,
				       u32 cause)
{
	u64 part[__FLT_CAUSE_MAX] = { 0 };

	part[cause] = ns;
	record_slow_causes(e, mask, major, ns, part);
}

static noinline void count_causes(const struct flt_event *e, u32 mask, bool major, u32 bucket,
				  u64 ns)
{
	u32 cause;

	if (unlikely(!flt_cause_is_plain(e, &cause))) {
		count_waits(e, mask, major, bucket, ns);
		return;
	}
	mask = flt_hist_cause(mask, bucket, ns, cause, ns);
	if (unlikely(mask))
		record_slow_plain(e, mask, major, ns, cause);
}

void flt_event_hist(const struct flt_event *e, const struct flt_proc *row, bool major, u32 bucket,
		    u64 ns)
{
	u32 mask;

	/* The row cannot be freed while its thread has a slot. */
	if (e->task)
		row = e->task->proc;
	mask = flt_hist_mask(row ? READ_ONCE(row->sessions) : 0);
	if (mask)
		mask = flt_hist_fault(mask, row ? row->id : 0, major, e->kind, bucket, ns);
	if (unlikely(mask))
		count_causes(e, mask, major, bucket, ns);
}

void flt_event_returned(const struct flt_event *e, u32 names, u32 bucket, u64 ns)
{
	u32 mask = flt_hist_mask(e->task ? READ_ONCE(e->task->proc->sessions) :
				       flt_proc_sessions(current));

	if (mask)
		flt_hist_return(mask, names, bucket, ns);
}

/* Return the streams that may want the fault. A thread without a slot may have a row. */
static u32 stream_mask_of(const struct flt_event *e)
{
	return flt_stream_mask(e->task ? READ_ONCE(e->task->proc->sessions) :
					   flt_proc_sessions(current));
}

static void submit_to_streams(struct flt_event *e, u32 result, u64 ns)
{
	u32 mask = stream_mask_of(e);

	if (mask)
		flt_stream_submit(e, result, ns, mask);
}

/* Count how a fault was handled that has ended, well or not, in @a and in the machine's account. */
static void count_handled(const struct flt_event *e, struct flt_account *a)
{
	bool under_vma_lock = e->flags & FAULT_FLAG_VMA_LOCK;
	bool had_vma_lock = e->earlier_flags & FAULT_FLAG_VMA_LOCK;

	flt_account_handled(a, under_vma_lock, had_vma_lock, e->remote, e->attempts, false);
	flt_account_handled(&flt_tally_here()->account, under_vma_lock, had_vma_lock, e->remote,
			    e->attempts, false);
}

/*
 * Count a fault that waited for nothing, if nobody wants more than its cause. Makes no calls, so
 * that the compiler saves no registers. Return false if the fault was not counted.
 */
static __always_inline bool count_sole_cause(const struct flt_event *e, u64 ns)
{
	const struct flt_causes *causes = rcu_dereference_sched(flt_hist_sole_causes);
	struct flt_causes_cpu *c;
	u32 cause;

	if (!causes || !flt_cause_is_plain(e, &cause))
		return false;
	c = flt_causes_here(causes);
	if (unlikely(ns > c->slowest.floor))
		return false;
	c->ns[cause][flt_bucket_of(ns)] += ns;
	return true;
}

static noinline int report_any(struct flt_event *e, bool major, u64 ns, bool slow)
{
	u32 result = major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR;

	if (static_branch_unlikely(&flt_hist_on))
		flt_event_hist(e, NULL, major, flt_bucket_of(ns), ns);
	/* Readers see the count before they see that no fault is open. */
	smp_store_release(&e->task->open, 0);
	if (slow)
		record_slow(e, result, ns);
	if (static_branch_unlikely(&flt_stream_on))
		submit_to_streams(e, result, ns);
	return 0;
}

int flt_event_report_slow(struct flt_event *e, bool major, u64 ns, bool slow)
{
	if (slow || !static_branch_unlikely(&flt_hist_on) || !count_sole_cause(e, ns))
		return report_any(e, major, ns, slow);
	/* Readers see the count before they see that no fault is open. */
	smp_store_release(&e->task->open, 0);
	if (static_branch_unlikely(&flt_stream_on))
		submit_to_streams(e, major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR, ns);
	return 0;
}

void flt_event_submit(struct flt_event *e, bool major, u64 ns)
{
	u32 result = major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR;
	u32 bucket = flt_bucket_of(ns);
	struct flt_account *a;
	struct flt_proc *row;

	if (!e->unusual) {
		flt_event_report_slow(e, major, ns, flt_event_count_common(e, major, ns));
		return;
	}
	if (flt_tally_fault(flt_tally_here(), major, e->kind, bucket, ns))
		record_slow(e, result, ns);
	a = charge_begin(e, &row);
	flt_account_fault(a, major, e->kind, bucket, ns);
	count_handled(e, a);
	if (static_branch_unlikely(&flt_hist_on))
		flt_event_hist(e, row, major, bucket, ns);
	charge_end(row);
	if (static_branch_unlikely(&flt_stream_on))
		submit_to_streams(e, result, ns);
}

void flt_event_fail(struct flt_event *e, enum flt_failure failure, u64 ns)
{
	struct flt_tally *t = flt_tally_here();
	struct flt_account *a;
	struct flt_proc *row;

	t->failure[failure]++;
	if (unlikely(ns > t->slowest.floor))
		record_slow(e, FLT_RESULT_FAILED + failure, ns);
	a = charge_begin(e, &row);
	a->failed++;
	count_handled(e, a);
	charge_end(row);
	if (static_branch_unlikely(&flt_stream_on))
		submit_to_streams(e, FLT_RESULT_FAILED + failure, ns);
}

void flt_event_retry(const struct flt_event *e)
{
	struct flt_proc *row;

	flt_tally_here()->account.retried++;
	charge_begin(e, &row)->retried++;
	charge_end(row);
}

/* Out of line, so that the common path makes no calls and saves no registers. */
static noinline void describe_without_slot(struct flt_event *e, struct vm_area_struct *vma)
{
	u32 mask = stream_mask_of(e);

	if (mask)
		flt_stream_describe(e, vma, ~0u, mask);
}

void flt_event_describe(struct flt_event *e, struct vm_area_struct *vma)
{
	u32 mask, kinds = BIT(e->kind & ~FLT_KIND_PROVISIONAL);

	/* Remote faults are charged to current, so use current's sessions for them, too. */
	if (unlikely(!e->task)) {
		describe_without_slot(e, vma);
		return;
	}
	/* The kind is not final, or the kind of the first attempt will replace it. */
	if (e->kind & FLT_KIND_PROVISIONAL || e->task->open)
		kinds = ~0u;
	mask = flt_stream_mask(READ_ONCE(e->task->proc->sessions));
	if (mask)
		flt_stream_describe(e, vma, kinds, mask);
}
