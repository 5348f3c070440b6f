/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * numa - count what NUMA balancing does: hint faults by node of the CPU and of the page,
 * moved pages by reason, moved threads.
 */
#ifndef FLT_NUMA_H
#define FLT_NUMA_H

#include <linux/flt.h>
#include "account/account.h"
#include "ledger/ledger.h"

enum flt_numa_cell {
	FLT_NUMA_COUNTS = 0,			/* + enum flt_numa_count */
	FLT_NUMA_OCTAVES = __FLT_NUMA_COUNTS,	/* + octave of a move's latency */
	FLT_NUMA_MOVED = FLT_NUMA_OCTAVES + FLT_OCTAVES,	/* + enum migrate_reason */
	FLT_NUMA_NOT_MOVED = FLT_NUMA_MOVED + FLT_MOVE_REASONS,
	FLT_NUMA_MATRIX = FLT_NUMA_NOT_MOVED + FLT_MOVE_REASONS,
	__FLT_NUMA_CELLS = FLT_NUMA_MATRIX + FLT_NUMA_NODES * FLT_NUMA_NODES
};

extern struct flt_ledger flt_numa;

void flt_numa_init(void);
void flt_numa_exit(void);
size_t flt_numa_memory(void);
/* See flt_thp_unknown(). */
u64 flt_numa_unknown(void);
/* Return the rows and columns of the node matrix, which is the end of a ledger line. */
u32 flt_numa_nodes(void);

/* See flt_thp_get() and flt_thp_put(). */
int flt_numa_get(void);
void flt_numa_put(void);

#endif
