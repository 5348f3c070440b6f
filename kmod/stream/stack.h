/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack - where in its program a thread faults: the frames that its frame pointers
 * lead to, as an ID; and a copy of its stack as it is, for programs without.
 *
 * Both are read from the thread's memory when the fault has ended, in its own
 * context, with page faults off: what is not in memory ends the stack there, and
 * the note says so. They go to the session's relay as notes, in front of the fault.
 */
#ifndef FLT_STACK_H
#define FLT_STACK_H

#include <linux/flt.h>
#include <linux/types.h>

#define FLT_STACK_SLICE_MAX 16384

/* What this machine gives: FLT_FEATURE_STACKS or 0. */
#ifdef CONFIG_X86_64
#define FLT_STACK_FEATURE FLT_FEATURE_STACKS
#else
#define FLT_STACK_FEATURE 0u
#endif

struct flt_relay;
struct pt_regs;
struct flt_stacks;		/* of one session */

/* 0: none wanted. */
struct flt_stack_wish {
	u32 depth;		/* addresses, the instruction's included */
	u32 slice;		/* bytes */
};

/* Slots that a slice of so many bytes takes with its head. */
#define FLT_STACK_SLICE_SLOTS(bytes) (1 + (sizeof(struct flt_event_registers) + (bytes) + 63) / 64)

/* NULL when nothing is wished for; ERR_PTR(-ENOMEM). May sleep. */
struct flt_stacks *flt_stack_open(u32 bit, const struct flt_stack_wish *wish);
/* No handler may be in flt_stack_take() any more. */
void flt_stack_close(struct flt_stacks *stacks);

/*
 * Before a fault at @address that began at @time is written: its slice, and its stack
 * if the session has not had it. @regs: flt_record_user(). The stack's ID; 0: current
 * has no user stack. Preemption off.
 */
u32 flt_stack_take(struct flt_stacks *stacks, struct flt_relay *relay, struct pt_regs *regs,
		   unsigned long address, u64 time);

/* Stacks that found the table full and were sent for one use. */
u64 flt_stack_once(const struct flt_stacks *stacks);

#endif
