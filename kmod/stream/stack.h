/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack - user stacks: the return addresses found by following frame pointers, sent once
 * per stack and named by an ID; and a copy of a part of the stack ("slice"), for
 * programs without frame pointers.
 *
 * Both are read from user memory when the fault has ended, in the context of the thread,
 * with page faults disabled. A page that is not present truncates the stack, and the note
 * says so. Stacks and slices are written to the session's relay as notes before the fault.
 */
#ifndef FLT_STACK_H
#define FLT_STACK_H

#include <linux/flt.h>
#include <linux/types.h>

#define FLT_STACK_SLICE_MAX 16384

struct flt_relay;
struct pt_regs;
struct flt_stacks;		/* state of one session */

struct flt_stack_config {
	u32 depth;		/* maximum addresses, with the instruction; 0: no stacks */
	u32 slice;		/* bytes to copy; 0: no slices */
};

/* Slots of 64 bytes for a slice and its head. */
#define FLT_STACK_SLICE_SLOTS(bytes) (1 + (sizeof(struct flt_event_registers) + (bytes) + 63) / 64)

/* Return NULL if @config asks for nothing, or ERR_PTR(-ENOMEM). May sleep. */
struct flt_stacks *flt_stack_open(u32 bit, const struct flt_stack_config *config);
/* No handler may be running in flt_stack_take(). */
void flt_stack_close(struct flt_stacks *stacks);

/*
 * Send the slice of current, and the stack if it was not sent to the session before. Call
 * before the record of a fault at @address that started at @time is written. @regs:
 * flt_record_user(). Return the ID of the stack, or 0 if current has no user stack.
 * Preemption must be off.
 */
u32 flt_stack_take(struct flt_stacks *stacks, struct flt_relay *relay, struct pt_regs *regs,
		   unsigned long address, u64 time);

/* Return the number of faults whose stack found the table full and was sent for one use. */
u64 flt_stack_once(const struct flt_stacks *stacks);

#endif
