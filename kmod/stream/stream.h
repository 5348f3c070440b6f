/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream - the faults of one session on their way out: its filter, then its
 * channel. Looked up by the bit its session has in flt_proc.sessions.
 */
#ifndef FLT_STREAM_H
#define FLT_STREAM_H

#include <linux/bitops.h>
#include <linux/jump_label.h>
#include <linux/types.h>
#include "stream/filter.h"
#include "account/proc.h"
#include "stream/stack.h"

struct file;
struct vm_area_struct;

struct flt_stream_config {
	u32 subbuf_size, subbufs;
	u32 port;			/* of the socket to send it to; 0: to relay files */
	bool everybody;			/* all processes, not those of the session */
	bool notes, areas;
	struct flt_filter filter;
	struct flt_stack_wish stack;
};

/* On while there is any stream: until then a fault pays for a no-op. */
DECLARE_STATIC_KEY_FALSE(flt_stream_on);

/* On while any stream has notes. */
DECLARE_STATIC_KEY_FALSE(flt_stream_noting);

/* Errors: those of flt_relay_open(). May sleep. @bit must be free. */
int flt_stream_open(u32 bit, u32 session, const struct flt_stream_config *config);
/* Returns when the last record has been written; a bit without a stream is fine. */
void flt_stream_close(u32 bit);
/* Zeros for a bit without a stream. Not against flt_stream_close(). */
void flt_stream_count(u32 bit, u64 *written, u64 *lost, u64 *lost_notes);

/* Faults whose stack found no room in the table. Not against flt_stream_close(). */
u64 flt_stream_stacks_once(u32 bit);

/* Bits of streams that take the faults of all processes, and of their own only. */
extern u32 flt_stream_all, flt_stream_own;
/* Bits of streams with notes. */
extern u32 flt_stream_notes;
/* Which streams may want a fault of a process in these @sessions. */
static __always_inline u32 flt_stream_mask(u32 sessions)
{
	return READ_ONCE(flt_stream_all) | (sessions & READ_ONCE(flt_stream_own));
}

/*
 * A fault in a file begins that may be one of these @kinds, and its @vma be gone at its end:
 * what those of @wanted that may let it pass will want to know of it. Preemption off.
 */
void flt_stream_describe(struct flt_event *e, struct vm_area_struct *vma, u32 kinds,
			 unsigned long wanted);

/*
 * Notes for those of @wanted that have any; preemption off. @vma must not go away;
 * @file may be NULL. @life: what happened to @task, all but its time and file.
 */
void flt_stream_note_exec(struct vm_area_struct *vma, u32 wanted);
void flt_stream_note_life(struct flt_event_life *life, struct task_struct *task,
			  struct file *file, u32 wanted);

/*
 * A fault that ended with @result after @ns nanoseconds, to those of @wanted (not 0) whose
 * filters let it pass; preemption off.
 */
void flt_stream_submit(struct flt_event *e, u32 result, u64 ns, unsigned long wanted);

#endif
