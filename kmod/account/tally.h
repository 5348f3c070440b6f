/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tally - what the whole machine did, counted per CPU.
 *
 * Every fault that ends goes into one bucket of one histogram, chosen by result,
 * kind and latency; minor, major and the kinds are sums over buckets. So the
 * common fault pays for a single increment here. What handle_mm_fault() returned
 * is counted only if it is not 0, which is rare, and 0 is what is left. Written
 * with preemption off by the CPU it belongs to; never reset.
 */
#ifndef FLT_TALLY_H
#define FLT_TALLY_H

#include <linux/flt_event.h>
#include <linux/percpu.h>
#include "account/account.h"
#include "account/slowest.h"

struct flt_tally {
	u64 bucket[2][__FLT_KIND_MAX][FLT_BUCKETS];	/* [major][kind] */
	/*
	 * The rest, and faults that were missed. The kinds and numbers of faults that were
	 * seen are in the buckets, of failures in failure[]: here they stay 0.
	 */
	struct flt_account account;
	struct flt_slowest slowest;
	u64 failure[__FLT_FAILURE_MAX];
	u64 lost_proc, lost_task;	/* faults that found a table full */
	u64 clock_back;
	struct flt_account other;	/* faults of processes without a row */
	/* By enum flt_return; NONE: faults that ended well and returned something. */
	u64 returned[__FLT_RETURN_MAX][FLT_BUCKETS];
};

DECLARE_PER_CPU(struct flt_tally *, flt_tally);

static __always_inline struct flt_tally *flt_tally_here(void)
{
	return this_cpu_read(flt_tally);
}

/* Whether flt_tally_slow() is to be told of it. */
static __always_inline bool flt_tally_fault(struct flt_tally *t, bool major, u8 kind,
					    u32 bucket, u64 ns)
{
	if (unlikely(major))
		t->bucket[1][kind][bucket]++;
	else
		t->bucket[0][kind][bucket]++;
	t->account.latency_sum += ns;
	/* The floor is never above the maximum. */
	return ns > t->slowest.floor;
}

/* One of the slowest so far; @ended: well, so that it may be the maximum. */
void flt_tally_slow(struct flt_tally *t, const struct flt_slow *slow, bool ended);

int flt_tally_init(void);
void flt_tally_exit(void);
size_t flt_tally_memory(void);

/* The sum over all possible CPUs; @sum and @other are overwritten. */
struct flt_tally_sum {
	struct flt_account all, other;	/* octaves of @all stay empty: see the buckets */
	u64 failure[__FLT_FAILURE_MAX];
#define FLT_LOSS_MEMBER(member, ...) u64 member;
	FLT_TALLY_LOSSES(FLT_LOSS_MEMBER)
#undef FLT_LOSS_MEMBER
};

void flt_tally_read(struct flt_tally_sum *sum);
/* @bucket has FLT_BUCKETS entries; returns their total. */
u64 flt_tally_buckets(bool major, u8 kind, u64 *bucket);
u64 flt_tally_returned(enum flt_return ret, u64 *bucket);

#endif
