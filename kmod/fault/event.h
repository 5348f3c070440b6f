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
 *     hist/hist.c          the histograms of sessions that ask for them, and their causes
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
/* Slow path of flt_event_report(). */
int flt_event_report_slow(struct flt_event *e, bool major, u64 ns, bool slow);

/* Count a minor or major fault in the histograms of sessions. @row: charged without a slot. */
void flt_event_hist(const struct flt_event *e, const struct flt_proc *row, bool major, u32 bucket,
		    u64 ns);
/* Count a call that returned the @names, a mask of enum flt_return, in them. */
void flt_event_returned(const struct flt_event *e, u32 names, u32 bucket, u64 ns);

/* Count a fault that is not unusual. Return true if the fault is one of the slowest of its CPU. */
static __always_inline bool flt_event_count_common(const struct flt_event *e, bool major, u64 ns)
{
	bool under_vma_lock = e->flags & FAULT_FLAG_VMA_LOCK;
	struct flt_tally *tally = flt_tally_here();
	struct flt_account *a = &e->task->account;
	u32 bucket = flt_bucket_of(ns);

	flt_account_fault(a, major, e->kind, bucket, ns);
	flt_account_handled(a, under_vma_lock, false, false, 1, true);
	flt_account_handled(&tally->account, under_vma_lock, false, false, 1, true);
	return flt_tally_fault(tally, major, e->kind, bucket, ns);
}

/*
 * Submit a fault that flt_event_count_common() has counted, and that has a VMA, to histograms,
 * streams and, if it is @slow, to the list of slowest faults. Makes no calls but the last one.
 * Return 0.
 */
static __always_inline int flt_event_report(struct flt_event *e, bool major, u64 ns, bool slow)
{
	u32 result = major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR, mask = 0;

	if (unlikely(slow) || static_branch_unlikely(&flt_hist_on))
		return flt_event_report_slow(e, major, ns, slow);
	/* Readers see the count before they see that no fault is open. */
	smp_store_release(&e->task->open, 0);
	/* The row cannot be freed while its thread has a slot. */
	if (static_branch_unlikely(&flt_stream_on))
		mask = flt_stream_mask(READ_ONCE(e->task->proc->sessions));
	return mask ? flt_stream_submit_common(e, result, ns, mask) : 0;
}

/* Submit a fault that failed. */
void flt_event_fail(struct flt_event *e, enum flt_failure failure, u64 ns);
/* Count an attempt that returned VM_FAULT_RETRY. */
void flt_event_retry(const struct flt_event *e);

#endif
