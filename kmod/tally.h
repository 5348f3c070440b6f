/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tally - what the whole machine did, counted per CPU.
 *
 * Every fault that ends goes into one bucket of one histogram, chosen by result,
 * kind and latency; minor, major and the kinds are sums over buckets. So the
 * common fault pays for a single increment here. Written with preemption off by
 * the CPU it belongs to; never reset.
 */
#ifndef FLT_TALLY_H
#define FLT_TALLY_H

#include <linux/flt_event.h>
#include <linux/percpu.h>
#include "account.h"

struct flt_tally {
	u64 bucket[2][__FLT_KIND_MAX][FLT_BUCKETS];	/* [major][kind] */
	u64 latency_sum, latency_max;
	u64 missed[2];			/* [major]; in no bucket */
	u64 failure[__FLT_FAILURE_MAX];
	u64 retried, remote, stitched, dropped, attempts;
	u64 lost_proc, lost_task;	/* faults that found a table full */
	u64 clock_back;
	struct flt_account other;	/* faults of processes without a row */
};

DECLARE_PER_CPU(struct flt_tally *, flt_tally);

static __always_inline struct flt_tally *flt_tally_here(void)
{
	return this_cpu_read(flt_tally);
}

static __always_inline void flt_tally_fault(struct flt_tally *t, bool major, u8 kind,
					    u32 bucket, u64 ns)
{
	if (unlikely(major))
		t->bucket[1][kind][bucket]++;
	else
		t->bucket[0][kind][bucket]++;
	t->latency_sum += ns;
	if (unlikely(ns > t->latency_max))
		t->latency_max = ns;
}

int flt_tally_init(void);
void flt_tally_exit(void);
size_t flt_tally_memory(void);

/* The sum over all possible CPUs; @sum and @other are overwritten. */
struct flt_tally_sum {
	struct flt_account all, other;	/* octaves of @all stay empty: see the buckets */
	u64 failure[__FLT_FAILURE_MAX];
	u64 lost_proc, lost_task, clock_back;
};

void flt_tally_read(struct flt_tally_sum *sum);
/* @bucket has FLT_BUCKETS entries; returns their total. */
u64 flt_tally_buckets(bool major, u8 kind, u64 *bucket);

#endif
