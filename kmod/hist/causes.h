/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * causes - what the faults of a session spent their time on, and its slowest faults.
 *
 * Each CPU counts in its own memory, with preemption off.
 */
#ifndef FLT_CAUSES_H
#define FLT_CAUSES_H

#include <linux/flt_event.h>
#include <linux/smp.h>
#include <linux/types.h>
#include "account/slowest.h"

struct flt_pidns;

struct flt_causes_cpu {
	u64 ns[__FLT_CAUSE_MAX][FLT_BUCKETS];	/* by latency of the fault */
	struct flt_slowest slowest;
};

struct flt_causes {
	const struct flt_pidns *reader;
	struct flt_causes_cpu *cpu[];
};

/*
 * Allocate causes of a session, whose @reader lives longer. Return NULL if there is no memory. May
 * sleep.
 */
struct flt_causes *flt_causes_new(const struct flt_pidns *reader);
/* Free causes that no handler uses any more, or NULL. */
void flt_causes_free(struct flt_causes *causes);
/* Return the bytes that flt_causes_new() allocates. */
size_t flt_causes_size(void);

/* Preemption must be off. */
static __always_inline struct flt_causes_cpu *flt_causes_here(const struct flt_causes *causes)
{
	return causes->cpu[smp_processor_id()];
}

/* Add a fault of current to the slowest ones. */
void flt_causes_slow(const struct flt_causes *causes, const struct flt_slow *fault);

/* Sum up a cause over all CPUs. @bucket has FLT_BUCKETS entries. Return their total. */
u64 flt_causes_read(const struct flt_causes *causes, u32 cause, u64 *bucket);

#endif
