/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacktable - stacks seen while a session wants stacks, each once, under an ID.
 *
 * One table for all sessions, made when the first of them opens and gone with the
 * last. Nothing is ever taken out of it; looking up takes no lock. What a full
 * table has no room for gets an ID for one use.
 */
#ifndef FLT_STACKTABLE_H
#define FLT_STACKTABLE_H

#include <linux/align.h>
#include <linux/hash.h>
#include <linux/types.h>

#define FLT_STACK_FRAMES_MAX 127
#define FLT_STACK_BLOCK 4		/* frames are compared and stored in blocks of so many */

struct flt_stack {
	u64 hash;			/* of the frames, from flt_stacktable_seed */
	u32 depth;
	u32 cut;			/* enum flt_cut */
	bool sent;			/* the session that looked it up has had it */
	bool plain;			/* all but the first by frame pointers */
	u64 frames[ALIGN(FLT_STACK_FRAMES_MAX, FLT_STACK_BLOCK)];
};

extern u64 flt_stacktable_seed;

static __always_inline u64 flt_stacktable_mix(u64 hash, u64 frame)
{
	return (hash ^ frame) * GOLDEN_RATIO_64;
}

void flt_stacktable_init(u32 max);

/* For the session of this bit, to which nothing has been sent. -ENOMEM. May sleep. */
int flt_stacktable_get(u32 bit);
/* No handler may use the table for that session any more. */
void flt_stacktable_put(void);

/*
 * The ID of a stack, known or from now on; past the last frame the stack is padded
 * here. 0: there is no room for it, flt_stacktable_once() has one. Preemption off.
 */
u32 flt_stacktable_find(struct flt_stack *stack, u32 bit);
u32 flt_stacktable_once(void);

/*
 * The session of this bit has it now. When its note lies in the channel, never before:
 * two CPUs may send the same, none relies on what is not there.
 */
void flt_stacktable_mark(u32 id, u32 bit);

/* Stacks in the table; 0 when there is none. */
u32 flt_stacktable_used(void);

#endif
