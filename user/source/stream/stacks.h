/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.h - the stacks of a stream by ID, from FLT_EVENT_STACK notes. */
#ifndef FLT_SOURCE_STREAM_STACKS_H
#define FLT_SOURCE_STREAM_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include <linux/flt_event.h>

struct flt_stream_stack {
	struct flt_stream_stack *next;
	uint32_t id;
	uint16_t flags;		/* FLT_STACK_ONCE */
	uint8_t cut;		/* enum flt_cut */
	uint32_t depth;
	uint32_t sound;		/* number of frames that can be addresses, see below */
	uint64_t frame[];	/* the faulting instruction, then return addresses */
};

/* No code is mapped below this address: the size of the smallest page of any machine. */
#define FLT_STREAM_FIRST_CODE 4096

/*
 * Return the number of frames up to the first one that is in the first page. In code without frame
 * pointers, the frames after the first may be arbitrary values.
 */
static inline size_t flt_stream_stack_sound(const uint64_t *frame, size_t depth)
{
	size_t n = depth ? 1 : 0;

	while (n < depth && frame[n] >= FLT_STREAM_FIRST_CODE)
		n++;
	return n;
}

struct flt_stream_stacks;

int flt_stream_stacks_new(struct flt_stream_stacks **stacks);
void flt_stream_stacks_free(struct flt_stream_stacks *stacks);

/*
 * Add a note, as passed to flt_stream_sink.note. Return 0, -ENOMEM, or -EBADMSG if its ID or
 * depth is 0.
 */
int flt_stream_stacks_add(struct flt_stream_stacks *stacks, const struct flt_event_stack *note,
			  const void *bytes);

/*
 * Return the stack with an ID, or NULL if the ID is 0 or its note was lost. A stack with
 * FLT_STACK_ONCE is valid until the next call, others until the stacks are freed.
 */
const struct flt_stream_stack *flt_stream_stacks_of(struct flt_stream_stacks *stacks, uint32_t id);

#endif
