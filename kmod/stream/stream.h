/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream - send the faults of a session to its channel: filter, notes, stack, record.
 *
 * A session has one bit, in flt_proc.sessions and in the masks below. The bit is also the
 * index of its stream.
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
struct flt_relay;
struct vm_area_struct;

/* Set the parts of the latency of a fault, @ns, by what the fault spent its time on. */
typedef void (*flt_stream_split)(const struct flt_event *e, u64 ns, u64 part[__FLT_CAUSE_MAX]);

struct flt_stream_config {
	u32 subbuf_size, subbufs;
	bool files;			/* readers use relay files; otherwise flt_stream_pulled() */
	bool everybody;			/* all processes, not only those of the session */
	bool notes, areas;
	flt_stream_split split;		/* NULL: no causes */
	struct flt_filter filter;
	struct flt_stack_config stack;
	const struct flt_pidns *reader;	/* lives longer than the stream */
};

/* Enabled while there is a stream. Without one, a fault executes a no-op. */
DECLARE_STATIC_KEY_FALSE(flt_stream_on);

/* Enabled while a stream has notes. */
DECLARE_STATIC_KEY_FALSE(flt_stream_noting);

/*
 * Open and close run under the lock of the sessions. Open returns 0 or the error of
 * flt_relay_open(). May sleep.
 */
int flt_stream_open(u32 bit, u32 session, const struct flt_stream_config *config);
/* Wait until no handler uses the stream, and free it. A bit without a stream is allowed. */
void flt_stream_close(u32 bit);

/* The session must not close during any of the following calls. */

/* Count faults and notes of a stream. All are 0 for a bit without a stream. */
void flt_stream_count(u32 bit, u64 *written, u64 *lost, u64 *lost_notes);
/* Return the relay of a stream without files, or NULL. */
struct flt_relay *flt_stream_pulled(u32 bit);
/* Return the number of faults whose stack found no room in the table. */
u64 flt_stream_stacks_once(u32 bit);

/* Streams of the faults of all processes, and streams of the session's processes only. */
extern u32 flt_stream_all, flt_stream_own;
/* Streams with notes. */
extern u32 flt_stream_notes;
/* Return the streams that may want a fault of a process that is in these @sessions. */
static __always_inline u32 flt_stream_mask(u32 sessions)
{
	return READ_ONCE(flt_stream_all) | (sessions & READ_ONCE(flt_stream_own));
}

/* All functions below run with preemption off. @mask is a mask of streams, not 0. */

/*
 * Describe the file of @vma for a fault that begins, because @vma may be gone when the fault
 * ends: set the file in @e, and send its notes to the streams whose filters may pass the
 * fault. @kinds: the kinds that the fault may have.
 */
void flt_stream_describe(struct flt_event *e, struct vm_area_struct *vma, u32 kinds,
			 unsigned long mask);

/*
 * Send a note to the streams in @mask that have notes; @mask may be 0. The caller keeps
 * @vma alive. @file may be NULL. The caller sets what and code of @life. A fork is noted by the
 * parent.
 */
void flt_stream_note_exec(struct vm_area_struct *vma, u32 mask);
/* The same for pages of current that were moved, to streams with areas. */
void flt_stream_note_move(unsigned long from, unsigned long to, unsigned long length, u32 mask);
void flt_stream_note_life(struct flt_event_life *life, struct task_struct *task,
			  struct file *file, u32 mask);

/*
 * Send a fault that ended with @result (enum flt_result) after @ns nanoseconds to the
 * streams in @mask whose filters pass the fault.
 */
void flt_stream_submit(struct flt_event *e, u32 result, u64 ns, unsigned long mask);
/*
 * The same for a minor or major fault that is not unusual and has a VMA. Return 0, so that a probe
 * can call this last.
 */
int flt_stream_submit_common(struct flt_event *e, u32 result, u64 ns, unsigned long mask);

#endif
