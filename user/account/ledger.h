/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - the module's counters of huge pages and NUMA balancing: FLT_LEDGER_* of
 * <linux/flt.h> without the encoding. Counters only grow.
 */
#ifndef FLT_LEDGER_H
#define FLT_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/flt.h>

#define FLT_LEDGER_COUNTERS 16
#define FLT_LEDGER_LATENCIES (FLT_BUCKETS >> FLT_BUCKET_SHIFT)

/* The line of a process, of nobody or of the machine. The counters are one block of u64. */
struct flt_ledger_line {
	uint64_t id;		/* 0: not a process */
	uint32_t tgid;
	char comm[FLT_COMM_LEN + 1];
	bool ended;
	uint32_t nodes;		/* side of matrix */
	/* Counters that this kernel lacks: bits FLT_LEDGER_COUNTER and FLT_LEDGER_SECTION. */
	uint64_t unknown;
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

/* Free with flt_ledger_free(). */
struct flt_ledger {
	struct flt_ledger_line machine, nobody;
	struct flt_ledger_line *line;
	size_t count;
};

int flt_ledger_add(struct flt_ledger *ledger, const struct flt_ledger_line *line);
void flt_ledger_free(struct flt_ledger *ledger);

/* Return the line of a process, or NULL. */
const struct flt_ledger_line *flt_ledger_find(const struct flt_ledger *ledger, uint64_t id);

/* Return the difference between line and before. before NULL: return line. */
struct flt_ledger_line flt_ledger_since(const struct flt_ledger_line *line,
					const struct flt_ledger_line *before);

/* Add the counters of line to sum. */
void flt_ledger_sum_line(struct flt_ledger_line *sum, const struct flt_ledger_line *line);

/* Return true if nothing but faults was counted. */
bool flt_ledger_idle(const struct flt_ledger_line *line);

uint64_t flt_ledger_sum(const uint64_t *count, size_t n);

/*
 * Write the JSON columns of the counters in the mask unknown, such as "huge, late". Columns that
 * are computed from these counters are not named. text has at least FLT_LEDGER_TEXT bytes.
 */
#define FLT_LEDGER_TEXT 256
void flt_ledger_say_unknown(bool numa, uint64_t unknown, char *text);

#endif
