/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h - a row of 'fltctl lat': the columns of report.c refer to it. */
#ifndef FLT_CMD_LAT_ROW_H
#define FLT_CMD_LAT_ROW_H

#include "cmd/lat/lat.h"
#include "view/table/cell.h"

/* Bits of .known_if: the rows that have a column. */
enum {
	LAT_OF_SPAN = 1,		/* rows of a report */
	LAT_OF_COUNT = 2,		/* rows with a number of faults */
	LAT_OF_PROCESS = 4,		/* rows of a process */
	LAT_OF_LATENCY = 8,		/* rows with latencies */
	LAT_OF_BUCKET = 16, LAT_OF_SLOW = 32, LAT_OF_TOTAL = 64,
	LAT_OF_NAME = 128,		/* processes and slow faults with a known command */
	LAT_OF_TIME = 256,		/* causes: time that was spent */
};

/* The same for slow faults with known causes: a bit per cause that the kernel tells apart. */
#define LAT_OF_CAUSE(cause) (1ull << (32 + (cause)))

struct lat_row {
	const char *record, *span, *group, *name, *cgroup;
	struct flt_cell time;		/* seconds since 1970; slow faults have microseconds */
	uint64_t ns;			/* length of the span */
	uint64_t ended;			/* ns since 1970 */
	struct flt_slow slow;		/* rows of a process: only tgid and comm */
	const char *path;
	const char *cause;		/* the largest part of a slow fault */
	uint64_t faults;
	uint64_t spent;			/* ns, on a cause */
	uint64_t mean, p50, p90, p99, p999, max, from, to;	/* ns */
	uint64_t missed, lost, lost_notes;
	bool complete;
};

/* The current report. */
struct lat_report {
	struct lat *l;
	const struct lat_snapshot *snapshot;
	uint64_t from;
	const char *span;
};

/* Return a row with the span of the report. */
struct lat_row lat_row_begin(const struct lat_report *report, const char *record);

/* why.c */
/* Write what the faults of the report spent their time on. Return 0 or -errno. */
int lat_why_write(const struct lat_report *report);

#endif
