/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slowest - the FLT_SLOWEST_MAX slowest faults of one CPU.
 *
 * The fast path compares a fault's latency with "floor", the latency of the fastest entry.
 * That replaces the comparison needed for a maximum. Everything else is out of line,
 * and becomes rarer as the floor rises. Only the CPU itself writes its list, with preemption
 * off. Readers use the seqcount and retry.
 */
#ifndef FLT_SLOWEST_H
#define FLT_SLOWEST_H

#include <linux/flt.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/types.h>

struct flt_slow {
	u64 ns;			/* latency; 0: the slot is empty */
	u64 time;		/* CLOCK_MONOTONIC ns: end of the fault */
	unsigned long address;
	pid_t tgid, tid;
	pid_t inner_tgid, inner_tid;	/* in the PID namespace of the session; 0: none */
	u32 attempts;
	u8 kind, result;	/* enum flt_kind, flt_result */
	bool remote;
	char comm[TASK_COMM_LEN];
	u64 part[__FLT_CAUSE_MAX];	/* ns; all 0: not measured */
};

struct flt_slowest {
	u64 floor;		/* only slower faults are added; 0 until all slots are used */
	seqcount_t seq;
	struct flt_slow slot[FLT_SLOWEST_MAX];
};

/* Replace the fastest entry by @slow, which took longer than the floor. */
void flt_slowest_add(struct flt_slowest *s, const struct flt_slow *slow);
/* Copy one slot. */
void flt_slowest_read(const struct flt_slowest *s, unsigned int slot, struct flt_slow *slow);

#endif
