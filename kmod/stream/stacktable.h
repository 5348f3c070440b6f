/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacktable - a table of user stacks. Each stack is stored once and has an ID.
 *
 * All sessions with stacks share one table, which is allocated for the first one and freed
 * with the last. Entries are never removed, so lookups take no lock. No user can fill the whole
 * table. If the table has no room for a stack, the stack gets an ID for one use.
 */
#ifndef FLT_STACKTABLE_H
#define FLT_STACKTABLE_H

#include <linux/align.h>
#include <linux/hash.h>
#include <linux/types.h>

#define FLT_STACK_FRAMES_MAX 127
#define FLT_STACK_BLOCK 4		/* frames per block; blocks are compared and stored whole */

struct flt_stack {
	u64 hash;			/* of the frames, starting with flt_stacktable_seed */
	u32 depth;			/* number of frames */
	u32 cut;			/* enum flt_cut */
	bool sent;			/* it was sent to the session that looked it up */
	bool plain;			/* frame pointers gave all frames but the first */
	u64 frames[ALIGN(FLT_STACK_FRAMES_MAX, FLT_STACK_BLOCK)];
};

extern u64 flt_stacktable_seed;

static __always_inline u64 flt_stacktable_mix(u64 hash, u64 frame)
{
	return (hash ^ frame) * GOLDEN_RATIO_64;
}

void flt_stacktable_init(u32 max);

/*
 * Use the table for the new session of this bit, and mark all stacks as not sent to it.
 * Return 0 or -ENOMEM. Caller holds the lock of the sessions. May sleep.
 */
int flt_stacktable_get(u32 bit);
/* No handler may be using the table for that session. */
void flt_stacktable_put(void);

/*
 * Return the ID of a stack and set stack->sent. Add the stack if it is new. Return 0 if
 * there is no room; then use flt_stacktable_once(). Pads the last block of the stack.
 * Preemption must be off.
 */
u32 flt_stacktable_find(struct flt_stack *stack, u32 bit);
/* Return an ID for one use. */
u32 flt_stacktable_once(void);

/*
 * Mark a stack as sent to the session of this bit. Call after its note was written to the
 * channel: another CPU that sees the mark relies on the note. Two CPUs may send the same
 * stack.
 */
void flt_stacktable_mark(u32 id, u32 bit);

/* Return the bytes of the table; 0 if there is no table. */
size_t flt_stacktable_memory(void);
/* Return the number of stacks in the table; 0 if there is no table. */
u32 flt_stacktable_used(void);

#endif
