/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thp.h - interfaces between the files of 'fltctl thp'.
 *
 *   thp.c      options, and coverage of the memory of live processes
 *   report.c   rows, reasons and the verdict
 *   machine.c  settings of the kernel, and counters of the whole machine
 */
#ifndef FLT_CMD_THP_H
#define FLT_CMD_THP_H

#include "observe/ledger_run.h"
#include "source/proc/coverage.h"

#define THP_SCAN_NAME 40	/* longest name of a scan result, with its 0 */

struct thp_cover {
	uint64_t id;
	struct flt_coverage now;	/* as last read */
};

#define THP_SIZES 16
#define THP_SIZE_STATS 8
#define THP_COUNTERS 6

struct thp_size {
	char name[32];
	int64_t stat[THP_SIZE_STATS];	/* -1: this kernel does not have it */
};

/* Counters of the machine at the start of the run. */
struct thp_before {
	struct thp_size size[THP_SIZES];
	size_t sizes;
	uint64_t counter[THP_COUNTERS];
};

struct thp {
	struct flt_ledger_run run;
	struct thp_cover *cover;	/* processes whose memory was read */
	size_t covers, next;		/* next: line of the ledger to read next */
	char scan[FLT_SCAN_RESULTS][THP_SCAN_NAME];
	struct thp_before before;
};

/* Return the last known coverage of a process, or NULL. id: of its line in the ledger. */
const struct flt_coverage *thp_coverage(const struct thp *t, uint64_t id);

int thp_report_open(struct thp *t);
int thp_report(void *arg, const struct flt_ledger_run_span *span);

/* Receives a counter or setting. Return 0 to continue. */
typedef int (*thp_fact_fn)(void *arg, const char *what, const char *name, const char *value);
/* Report the settings of transparent huge pages. */
int thp_machine_settings(thp_fact_fn fn, void *arg);
/*
 * Read the counters that the kernel has only for the whole machine: of files, shmem and swap, and
 * of sizes between small and huge (mTHP).
 */
void thp_machine_begin(struct thp_before *before);
/* Report the counters that changed since thp_machine_begin(), by how much. */
int thp_machine_since(const struct thp_before *before, thp_fact_fn fn, void *arg);
/* Return true if huge pages are off: "enabled" is never for all sizes. */
bool thp_machine_off(void);

#endif
