/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event - one fault that ended, and who is told of it.
 *
 *   hook.c        places the probe on handle_mm_fault()
 *     fault.c     enter: whose fault, what kind, since when
 *                 leave: ended? how? how long?
 *       event.h   flt_event_submit(): into the accounts, and no further copies
 *         tally.h   the machine's, per CPU
 *         task.h    the thread's, summed into proc.h's row by its readers
 *         stream.h  while a session wants it: past its filter.h, as record.h
 *                   has it, into relay.h's files
 *   session.c     somebody who listens: keeps the hooks armed, groups rows
 *   netlink.c     state, asked for
 *
 * Producers fill in an event and submit it; they know nothing below it.
 * Everything here runs in a probe handler, preemption off, in the context of the
 * thread that faults.
 */
#ifndef FLT_EVENT_H
#define FLT_EVENT_H

#include <linux/flt_event.h>
#include <linux/types.h>
#include "record.h"
#include "stream.h"
#include "tally.h"
#include "task.h"

/* What a record says of the VMA; to be called while it cannot go away. */
void flt_event_map(struct flt_event *e, const struct vm_area_struct *vma);

/* And what sessions want to know of it, once; at the same time. */
void flt_event_note(const struct flt_event *e, struct vm_area_struct *vma);

/* The row is there as long as its thread has a slot. */
static __always_inline void flt_event_stream(const struct flt_event *e, u8 result, u64 ns)
{
	u32 wanted = flt_stream_wanted(e->task ? READ_ONCE(e->task->proc->sessions) : 0);

	if (wanted)
		flt_stream_record(e, result, ns, wanted);
}

/* One of the slowest of its CPU. */
void flt_event_slow(const struct flt_event *e, u8 result, u64 ns);
void flt_event_submit_slow(const struct flt_event *e, bool major, u32 bucket, u64 ns);

/* A fault that ended well after @ns nanoseconds. */
static __always_inline void flt_event_submit(const struct flt_event *e, bool major, u64 ns)
{
	u8 result = major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR;
	u32 bucket = flt_bucket_of(ns);

	if (unlikely(flt_tally_fault(flt_tally_here(), major, e->kind, bucket, ns)))
		flt_event_slow(e, result, ns);
	if (unlikely(e->unusual))
		flt_event_submit_slow(e, major, bucket, ns);
	else
		flt_account_fault(&e->task->account, major, e->kind, bucket, ns);
	if (static_branch_unlikely(&flt_stream_on))
		flt_event_stream(e, result, ns);
}

/* A fault that failed; one that has to be tried again. */
void flt_event_fail(const struct flt_event *e, enum flt_failure failure, u64 ns);
void flt_event_retry(const struct flt_event *e);

#endif
