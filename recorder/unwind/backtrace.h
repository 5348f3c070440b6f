/* SPDX-License-Identifier: GPL-2.0-or-later */
/* backtrace.h - the call stack of a thread that does not run. */
#ifndef FLT_REC_BACKTRACE_H
#define FLT_REC_BACKTRACE_H

#include "arch/registers.h"
#include "stack_copy.h"

#include <stdint.h>

#define REC_BACKTRACE_MAX 512u

struct rec_backtrace {
	unsigned int count;
	uint64_t frame[REC_BACKTRACE_MAX];	/* innermost first */
};

/* Address range of a thread stack outside the region. It may be read directly. */
struct rec_stack {
	uintptr_t lo, hi;	/* 0, 0 = not known */
};

/*
 * Unwind from the given registers. tid: the calling thread, which unwinds itself, or 0 for
 * the server, which unwinds a thread that sleeps in a fault. Return 0, or FLT_RING_F_DEPTH or
 * FLT_RING_F_UNWIND if the backtrace is truncated.
 */
uint8_t rec_backtrace_take(struct rec_backtrace *out, const struct rec_regs *regs,
			   struct rec_stack stack, uint32_t tid);
/*
 * The same for a thread that has run on since, from a copy of its stack. tid: the caller, or the
 * server. The caller may hold the pager lock.
 */
uint8_t rec_backtrace_take_copy(struct rec_backtrace *out, const struct rec_regs *regs,
				struct rec_stack stack, const struct rec_stack_copy *copy,
				uint32_t tid);
/* Release the lock of the caches, if its owner does not exist: in a forked child, at the end. */
void rec_backtrace_reset(void);

#endif
