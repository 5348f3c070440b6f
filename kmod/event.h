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
 *         stream.h  while a session wants it: a record, past its filter, into
 *                   relay.h's files
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
#include "stream.h"
#include "tally.h"
#include "task.h"

struct flt_event {
	struct flt_task *task;	/* NULL: the thread has no slot */
	u64 start;		/* flt_clock_read() at the first attempt */
	unsigned long address;
	u32 attempts;
	u8 kind;		/* enum flt_kind */
	u8 access;		/* FLT_EVENT_WRITE, _EXEC, _USER */
	bool remote;		/* memory of another process */
	bool unusual;		/* remote, stitched, or a thread without a slot */
	/* The mapping; taken only while flt_stream_on, else stale: see flt_event_map(). */
	u64 inode;		/* 0: no file */
	u32 dev, page;
};

/* What a record says of the VMA; to be called while it cannot go away. */
void flt_event_map(struct flt_event *e, const struct vm_area_struct *vma);
void flt_event_stream(const struct flt_event *e, u8 result, u64 ns);

void flt_event_submit_slow(const struct flt_event *e, bool major, u32 bucket, u64 ns);

/* A fault that ended well after @ns nanoseconds. */
static __always_inline void flt_event_submit(const struct flt_event *e, bool major, u64 ns)
{
	u32 bucket = flt_bucket_of(ns);

	flt_tally_fault(flt_tally_here(), major, e->kind, bucket, ns);
	if (unlikely(e->unusual))
		flt_event_submit_slow(e, major, bucket, ns);
	else
		flt_account_fault(&e->task->account, major, e->kind, bucket, ns);
	if (static_branch_unlikely(&flt_stream_on))
		flt_event_stream(e, major ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR, ns);
}

/* A fault that failed; one that has to be tried again. */
void flt_event_fail(const struct flt_event *e, enum flt_failure failure, u64 ns);
void flt_event_retry(const struct flt_event *e);

#endif
