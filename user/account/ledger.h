/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - what the module counts of huge pages and NUMA balancing, without its
 * encoding: the FLT_LEDGER_* of <linux/flt.h>. Counters only grow.
 */
#ifndef FLT_LEDGER_H
#define FLT_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/flt.h>

#define FLT_LEDGER_COUNTERS 16
#define FLT_LEDGER_LATENCIES (FLT_BUCKETS >> FLT_BUCKET_SHIFT)

/* One line: a process's, nobody's, the machine's. The counters are one block of u64. */
struct flt_ledger_line {
	uint64_t id;		/* 0: not a process */
	uint32_t tgid;
	char comm[FLT_COMM_LEN + 1];
	bool ended;
	uint32_t nodes;		/* side of matrix */
	struct flt_ledger_counts {
		uint64_t faults, fault_ns;
		uint64_t count[FLT_LEDGER_COUNTERS];
		uint64_t octave[FLT_LEDGER_LATENCIES];
		uint64_t scan[FLT_SCAN_RESULTS];
		uint64_t split_map[__FLT_SPLIT_CAUSES];
		uint64_t split_page[__FLT_SPLIT_CAUSES];
		uint64_t moved[FLT_MOVE_REASONS];
		uint64_t not_moved[FLT_MOVE_REASONS];
		uint64_t matrix[FLT_NUMA_NODES * FLT_NUMA_NODES];	/* [from * nodes + on] */
	} n;
};

/* Owned: released by flt_ledger_free(). */
struct flt_ledger {
	struct flt_ledger_line machine, nobody;
	struct flt_ledger_line *line;
	size_t count;
};

int flt_ledger_add(struct flt_ledger *ledger, const struct flt_ledger_line *line);
void flt_ledger_free(struct flt_ledger *ledger);

/* NULL: the process is not in it. */
const struct flt_ledger_line *flt_ledger_find(const struct flt_ledger *ledger, uint64_t id);

/* What line has more than before; before NULL: all. */
struct flt_ledger_line flt_ledger_since(const struct flt_ledger_line *line,
					const struct flt_ledger_line *before);

/* Adds what line counted to sum's. */
void flt_ledger_sum_line(struct flt_ledger_line *sum, const struct flt_ledger_line *line);

/* Nothing was counted but faults. */
bool flt_ledger_idle(const struct flt_ledger_line *line);

uint64_t flt_ledger_sum(const uint64_t *count, size_t n);

#endif
