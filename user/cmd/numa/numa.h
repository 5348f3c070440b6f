/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numa.h - interfaces between the files of 'fltctl numa'.
 *
 *   numa.c    options, and the choice of processes whose memory is read
 *   report.c  rows, the matrix, reasons and the verdict
 *   memory.c  nodes of the memory of a process, by region
 */
#ifndef FLT_CMD_NUMA_H
#define FLT_CMD_NUMA_H

#include "observe/ledger_run.h"
#include "source/proc/coverage.h"

#define NUMA_REASON_NAME 32
#define NUMA_AREAS 10		/* regions kept per process */
#define NUMA_PROCESSES 16	/* processes whose regions are kept */

/* A region. Remote pages are on nodes where no thread of the process last ran. */
struct numa_area {
	struct flt_node_map map;
	uint64_t pages, remote;
};

struct numa_memory {
	uint64_t id, hints;	/* ID of the line in the ledger; hint faults */
	uint64_t pages, remote;	/* of all regions */
	size_t areas;
	struct numa_area area[NUMA_AREAS];	/* most remote first */
};

struct numa {
	struct flt_ledger_run run;
	char reason[FLT_MOVE_REASONS][NUMA_REASON_NAME];
	uint32_t misplaced;	/* index of the reason of NUMA balancing */
	struct numa_memory memory[NUMA_PROCESSES];
	size_t memories;
	size_t unseen;		/* most processes that one sample did not read */
};

/*
 * Read the regions of a process. They are kept after the process has ended, until a process with
 * more hint faults needs the place.
 */
void numa_memory_read(struct numa *n, const struct flt_ledger_line *line);
/* Return the regions of a process as last read, or NULL. */
const struct numa_memory *numa_memory_of(const struct numa *n, uint64_t id);

int numa_report_open(struct numa *n);
int numa_report(void *arg, const struct flt_ledger_run_span *span);

#endif
