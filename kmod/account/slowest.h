/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slowest - the few slowest faults of one CPU, as examples.
 *
 * A fault is compared with the fastest of them, the floor, which takes the place
 * of the comparison that a maximum needs anyway; the rest is out of line and the
 * rarer the longer it goes on. Written by the CPU it belongs to with preemption
 * off; readers try again when they met a writer.
 */
#ifndef FLT_SLOWEST_H
#define FLT_SLOWEST_H

#include <linux/flt.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/types.h>

struct flt_slow {
	u64 ns;			/* 0: an empty slot */
	u64 time;		/* CLOCK_MONOTONIC ns at which it ended */
	unsigned long address;
	pid_t tgid, tid;
	u32 attempts;
	u8 kind, result;	/* enum flt_kind, flt_result */
	bool remote;
	char comm[TASK_COMM_LEN];
};

struct flt_slowest {
	u64 floor;		/* to be recorded a fault must take longer */
	seqcount_t seq;
	struct flt_slow slot[FLT_SLOWEST_MAX];
};

/* @slow, which took longer than the floor, in the place of the fastest. */
void flt_slowest_add(struct flt_slowest *s, const struct flt_slow *slow);
void flt_slowest_read(const struct flt_slowest *s, unsigned int slot, struct flt_slow *slow);

#endif
