/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numa.h - what the files of 'fltctl numa' share.
 *
 *   numa.c         options, and what is looked at meanwhile
 *   numa_report.c  rows, the matrix, reasons and the verdict
 *   numa_memory.c  where the memory lies, by region
 */
#ifndef FLT_CMD_NUMA_H
#define FLT_CMD_NUMA_H

#include "observe/ledger_run.h"
#include "source/proc/coverage.h"

#define NUMA_REASON_NAME 32
#define NUMA_AREAS 10		/* regions of a process that are shown */
#define NUMA_PROCESSES 16	/* whose regions are kept */

/* A region, and the pages of it that lie where its process did not run last. */
struct numa_area {
	struct flt_node_map map;
	uint64_t pages, remote;
};

struct numa_memory {
	uint64_t id, hints;
	uint64_t pages, remote;
	size_t areas;
	struct numa_area area[NUMA_AREAS];	/* most remote first */
};

struct numa {
	struct ledger_run run;
	struct flt_table *table;
	char reason[FLT_MOVE_REASONS][NUMA_REASON_NAME];
	uint32_t misplaced;	/* which of them is balancing */
	struct numa_memory memory[NUMA_PROCESSES];
	size_t memories, unseen;	/* unseen: processes at once for which there was no place */
	uint64_t reports;
};

/*
 * Looks at one process's regions; what was there stays if it is gone, until another that
 * had more hint faults wants its place.
 */
void numa_memory_look(struct numa *n, const struct flt_ledger_line *line);
const struct numa_memory *numa_memory_of(const struct numa *n, uint64_t id);

int numa_report_open(struct numa *n, enum flt_format format);
int numa_report(void *arg, const struct ledger_span *span);

#endif
