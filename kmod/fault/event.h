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
#include <linux/mm_types.h>
#include <linux/types.h>
#include "stream/record.h"
#include "stream/stream.h"
#include "account/tally.h"
#include "account/task.h"

/* What sessions want to know of the VMA, once, and what a record says of it. */
void flt_event_describe(struct flt_event *e, struct vm_area_struct *vma);

/* A fault that ended well after @ns nanoseconds. */
void flt_event_submit(struct flt_event *e, bool major, u64 ns);
/* And is one of the slowest of its CPU; @wanted: by streams, 0: by none. */
void flt_event_slow(struct flt_event *e, u32 result, u64 ns, unsigned long wanted);

/* The same as flt_event_submit() for one that is not unusual; calls only what is rare. */
static __always_inline void flt_event_submit_common(struct flt_event *e, bool major, u64 ns)
{
	u32 result = major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR;
	u32 bucket = flt_bucket_of(ns), wanted = 0;
	struct flt_task *t = e->task;
	bool slow;

	slow = flt_tally_fault(flt_tally_here(), major, e->kind, bucket, ns);
	flt_account_fault(&t->account, major, e->kind, bucket, ns);
	/* The row is there as long as its thread has a slot. */
	if (static_branch_unlikely(&flt_stream_on))
		wanted = flt_stream_wanted(READ_ONCE(t->proc->sessions));
	if (unlikely(slow))
		flt_event_slow(e, result, ns, wanted);
	else if (wanted)
		flt_stream_submit(e, result, ns, wanted);
}

/* A fault that failed; one that has to be tried again. */
void flt_event_fail(struct flt_event *e, enum flt_failure failure, u64 ns);
void flt_event_retry(const struct flt_event *e);

#endif
