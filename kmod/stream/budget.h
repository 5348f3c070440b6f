/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget - the memory of all sessions: buffers of streams and histograms.
 *
 * The memory is not charged to a memory cgroup, so its sum is limited here. The scratch memory of
 * CPUs for notes and stacks counts as well, but is granted in any case: it belongs to buffers.
 */
#ifndef FLT_BUDGET_H
#define FLT_BUDGET_H

#include <linux/types.h>

/* Set the limit of all sessions; 0: a quarter of memory. */
void flt_budget_limit(u32 mib);
/* Return true if @bytes more fit into the limit. Caller holds the lock of the sessions. */
bool flt_budget_fits(u64 bytes);
/* Charge @bytes, even if they exceed the limit. */
void flt_budget_take(u64 bytes);
void flt_budget_give(u64 bytes);
/* Return the bytes in use. */
u64 flt_budget_used(void);

#endif
