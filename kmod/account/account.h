/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account - the counts kept of one thread, one process, one session or of the
 * whole machine.
 *
 * A thread's account is written by that thread alone, in probe handlers, with
 * preemption off; so plain adds do. Others may read it at any time and see each
 * counter whole (64-bit loads) though not all of the same instant.
 * Nothing is ever reset; folding an account into another is the only way down.
 */
#ifndef FLT_ACCOUNT_H
#define FLT_ACCOUNT_H

#include <linux/flt_event.h>
#include <linux/types.h>

#ifndef CONFIG_64BIT
#error "flt needs a 64-bit kernel: its counters are read without locks"
#endif

#define FLT_OCTAVES (FLT_BUCKETS >> FLT_BUCKET_SHIFT)

struct flt_account {
	u64 minor, major;
	u64 failed, retried;
	u64 missed;		/* in minor and major, but never seen by the probe */
	u64 remote;		/* memory of another process */
	u64 stitched;		/* took more than one attempt */
	u64 dropped;		/* retried, then never tried again */
	u64 latency_sum, latency_max;	/* ns */
	u64 attempts;		/* most that one fault took */
	u64 kind[__FLT_KIND_MAX];
	u64 octave[FLT_OCTAVES];	/* latencies by bucket >> FLT_BUCKET_SHIFT */
};

/* One fault that ended well. */
static __always_inline void flt_account_fault(struct flt_account *a, bool major, u8 kind,
					      u32 bucket, u64 ns)
{
	if (unlikely(major))
		a->major++;
	else
		a->minor++;
	a->kind[kind]++;
	a->octave[bucket >> FLT_BUCKET_SHIFT]++;
	a->latency_sum += ns;
	if (unlikely(ns > a->latency_max))
		a->latency_max = ns;
}

/* Faults the kernel counted and the probe did not see. */
static inline void flt_account_missed(struct flt_account *a, u64 minor, u64 major)
{
	a->minor += minor;
	a->major += major;
	a->missed += minor + major;
	a->kind[FLT_KIND_UNKNOWN] += minor + major;
}

void flt_account_merge(struct flt_account *into, const struct flt_account *from);

#endif
