/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tally - the counters of the machine, per CPU.
 *
 * Every minor or major fault increments one bucket of one histogram, chosen by result, kind
 * and latency. The numbers of minor faults, major faults and kinds are sums over buckets,
 * so a common fault costs one increment. Return values of handle_mm_fault() are counted
 * only if they are not 0, which is rare; the rest of the faults returned 0. Only the CPU
 * itself writes its counters, with preemption off. Nothing resets them.
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
	 * All other counters, and missed faults. Faults that the probe saw are in bucket[]
	 * and failure[]: minor, major, kind[] and failed of this account exclude them.
	 */
	struct flt_account account;
	struct flt_slowest slowest;
	u64 failure[__FLT_FAILURE_MAX];
	u64 lost_task;		/* faults of threads without a slot */
	u64 clock_back;
	struct flt_account other;	/* faults of threads with neither slot nor row */
	/* By enum flt_return; NONE: faults that ended well and returned something. */
	u64 returned[__FLT_RETURN_MAX][FLT_BUCKETS];
};

DECLARE_PER_CPU(struct flt_tally *, flt_tally);

static __always_inline struct flt_tally *flt_tally_here(void)
{
	return this_cpu_read(flt_tally);
}

/* Count a minor or major fault. Return true if the caller must call flt_tally_slow(). */
static __always_inline bool flt_tally_fault(struct flt_tally *t, bool major, u8 kind,
					    u32 bucket, u64 ns)
{
	if (unlikely(major))
		t->bucket[1][kind][bucket]++;
	else
		t->bucket[0][kind][bucket]++;
	t->account.latency_sum += ns;
	/*
	 * A new maximum is also above the floor, unless all slots hold slower faults that
	 * failed: latency_max does not include failed faults.
	 */
	return ns > t->slowest.floor;
}

/* Add one of the slowest faults. @ended: it did not fail, so latency_max includes it. */
void flt_tally_slow(struct flt_tally *t, const struct flt_slow *slow, bool ended);

int flt_tally_init(void);
void flt_tally_exit(void);
size_t flt_tally_memory(void);

/* Sums over all possible CPUs. */
struct flt_tally_sum {
	struct flt_account all, other;	/* octaves of @all stay empty: see the buckets */
	u64 failure[__FLT_FAILURE_MAX];
#define FLT_LOSS_MEMBER(member, ...) u64 member;
	FLT_TALLY_LOSSES(FLT_LOSS_MEMBER)
#undef FLT_LOSS_MEMBER
};

/* Sum up all CPUs. @lost_proc, and threads without a row in @other, are those of report.c. */
void flt_tally_read(struct flt_tally_sum *sum);
/* Sum up one histogram. @bucket has FLT_BUCKETS entries. Return their total. */
u64 flt_tally_buckets(bool major, u8 kind, u64 *bucket);
u64 flt_tally_returned(enum flt_return ret, u64 *bucket);

#endif
