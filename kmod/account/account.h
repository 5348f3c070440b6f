/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account - the fault counters of a thread, a process, a session or the machine.
 *
 * Only the thread itself writes its account, in probe handlers with preemption off, so
 * plain additions are enough. Readers may read it at any time: each counter is one 64-bit
 * load, but two counters may be of different moments. Counters are never reset while the
 * account is in use. When a thread or process ends, its account is merged into another.
 */
#ifndef FLT_ACCOUNT_H
#define FLT_ACCOUNT_H

#include <linux/compiler.h>
#include <linux/flt_counter.h>
#include <linux/flt_event.h>
#include <linux/minmax.h>
#include <linux/types.h>

#ifndef CONFIG_64BIT
#error "flt needs a 64-bit kernel: its counters are read without locks"
#endif

#define FLT_OCTAVES (FLT_BUCKETS >> FLT_BUCKET_SHIFT)

/* The counters are the rows of flt_counter.h. */
struct flt_account {
#define FLT_COUNTER_MEMBER(member, ...) u64 member;
	FLT_COUNTERS(FLT_COUNTER_MEMBER)
#undef FLT_COUNTER_MEMBER
	u64 kind[__FLT_KIND_MAX];
	u64 octave[FLT_OCTAVES];	/* latencies by bucket >> FLT_BUCKET_SHIFT */
};

/* One row of flt_counter.h, for code that loops over all of them. Probes use the members. */
struct flt_counter {
	u16 offset;		/* in struct flt_account */
	u8 attribute;		/* FLT_ACCOUNT_* */
	u8 bits;		/* in a message: 32 or 64 */
	enum flt_counter_fold fold;
	enum flt_counter_presence presence;
	bool present;		/* this kernel lets us count it */
};

/* Ends with a row without an attribute. */
extern const struct flt_counter flt_counters[];

/* For each presence FLT_PRESENCE_X there is a constant FLT_PRESENT_X; see kmod/compat. */
#define FLT_PRESENT_ALWAYS true

static inline u64 flt_counter_read(const struct flt_counter *c, const struct flt_account *a)
{
	return READ_ONCE(*(const u64 *)((const char *)a + c->offset));
}

/* Count a minor or major fault. */
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

/*
 * Count how a fault was handled that has ended, well or not. @had_vma_lock: an earlier attempt
 * held the lock of the VMA. @common, a constant: not remote, and a single attempt.
 */
static __always_inline void flt_account_handled(struct flt_account *a, bool under_vma_lock,
						bool had_vma_lock, bool remote, u32 attempts,
						const bool common)
{
	a->under_vma_lock += under_vma_lock;
	if (common)
		return;
	if (remote)
		a->remote++;
	if (attempts > 1) {
		a->stitched++;
		if (!under_vma_lock && had_vma_lock)
			a->fell_back++;
	}
	a->attempts = max_t(u64, a->attempts, attempts);
}

/* Count faults that the kernel counted but the probe missed. */
static inline void flt_account_missed(struct flt_account *a, u64 minor, u64 major)
{
	a->minor += minor;
	a->major += major;
	a->missed += minor + major;
	a->kind[FLT_KIND_UNKNOWN] += minor + major;
}

/* Add @from, which may be changing, to @into, which only the caller uses. */
void flt_account_merge(struct flt_account *into, const struct flt_account *from);

#endif
