/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event - submit a fault that has ended to the accounts and to the streams.
 *
 * The path of a fault, file by file (docs/path-fault.md, docs/path-trace.md):
 *
 *   hook/hook.c          places the probe on handle_mm_fault()
 *   fault/entry.c        accounting=counts: a probe on entry alone, which counts the fault before
 *   fault/fault.c        else: entry: thread, address, start time; return: result, latency
 *   fault/open.c         slow path of both: a new fault, or another attempt of the last one?
 *     mm/kind.h            what the fault is for, from the page table (mm/walk.h)
 *   fault/event.h        flt_event_submit(): counts it, without copying it first
 *     account/tally.h      the counters of this CPU
 *     account/task.h       the account of this thread, which readers add to the row of
 *                          its process (account/proc.h)
 *     hist/hist.c          the histograms of sessions that ask for them
 *     stream/stream.c      if a session streams: filter.h decides, record.h describes
 *                          the 64 bytes, relay.h holds them until they are read
 *   netlink/reply.c      the counters, when a reader asks for them
 *
 * netlink/session.c arms the probes while a session needs them.
 *
 * Everything here runs in a probe handler with preemption off, in the context of the
 * thread that faults.
 */
#ifndef FLT_EVENT_H
#define FLT_EVENT_H

#include <linux/flt_event.h>
#include <linux/minmax.h>
#include <linux/mm_types.h>
#include <linux/types.h>
#include "hist/hist.h"
#include "stream/record.h"
#include "stream/stream.h"
#include "account/tally.h"
#include "account/task.h"

/*
 * Record what streams need to know of @vma. Call on entry if @vma may be gone when the
 * fault ends.
 */
void flt_event_describe(struct flt_event *e, struct vm_area_struct *vma);

/* Submit a minor or major fault that took @ns nanoseconds. */
void flt_event_submit(struct flt_event *e, bool major, u64 ns);
/*
 * Slow path of flt_event_submit_common(), for a fault that is one of the slowest of its
 * CPU. @mask: bits of the streams that may want the fault.
 */
void flt_event_slow(struct flt_event *e, u32 result, u64 ns, unsigned long mask);

/* Count a minor or major fault in the histograms of sessions. @row: charged without a slot. */
void flt_event_hist(const struct flt_event *e, const struct flt_proc *row, bool major, u32 bucket,
		    u64 ns);
/* Count a call that returned the @names, a mask of enum flt_return, in them. */
void flt_event_returned(const struct flt_event *e, u32 names, u32 bucket, u64 ns);

/*
 * Count how a fault was handled that has ended, well or not, in one account: that of a
 * thread or process, or the machine's. @common, a constant: the fault is not unusual.
 */
static __always_inline void flt_event_count_in(const struct flt_event *e, struct flt_account *a,
					       const bool common)
{
	flt_account_handled(a, e->flags & FAULT_FLAG_VMA_LOCK,
			    !common && e->earlier_flags & FAULT_FLAG_VMA_LOCK, e->remote,
			    e->attempts, common);
}

/* Count the same in @a and in the account of the machine. */
static __always_inline void flt_event_count(const struct flt_event *e, struct flt_account *a,
					    const bool common)
{
	flt_event_count_in(e, a, common);
	flt_event_count_in(e, &flt_tally_here()->account, common);
}

/* Fast path of flt_event_submit() if !e->unusual. Makes no calls in the common case. */
static __always_inline void flt_event_submit_common(struct flt_event *e, bool major, u64 ns)
{
	u32 result = major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR;
	u32 bucket = flt_bucket_of(ns), mask = 0;
	struct flt_task *t = e->task;
	bool slow;

	slow = flt_tally_fault(flt_tally_here(), major, e->kind, bucket, ns);
	flt_account_fault(&t->account, major, e->kind, bucket, ns);
	flt_event_count(e, &t->account, true);
	if (static_branch_unlikely(&flt_hist_on))
		flt_event_hist(e, NULL, major, bucket, ns);
	/* Readers see the count before they see that no fault is open. */
	smp_store_release(&t->open, 0);
	/* The row cannot be freed while its thread has a slot. */
	if (static_branch_unlikely(&flt_stream_on))
		mask = flt_stream_mask(READ_ONCE(t->proc->sessions));
	if (unlikely(slow))
		flt_event_slow(e, result, ns, mask);
	else if (mask)
		flt_stream_submit(e, result, ns, mask);
}

/* Submit a fault that failed. */
void flt_event_fail(struct flt_event *e, enum flt_failure failure, u64 ns);
/* Count an attempt that returned VM_FAULT_RETRY. */
void flt_event_retry(const struct flt_event *e);

#endif
