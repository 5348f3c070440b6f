/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thp.h - what the files of 'fltctl thp' share.
 *
 *   thp.c         options, coverage of memory while it is there
 *   thp_report.c  rows, reasons and the verdict
 *   thp_machine.c settings of the kernel, and sizes between small and huge
 */
#ifndef FLT_CMD_THP_H
#define FLT_CMD_THP_H

#include "observe/ledger_run.h"
#include "source/proc/coverage.h"

#define THP_SCAN_NAME 40

struct thp_cover {
	uint64_t id;
	struct flt_coverage now;
};

#define THP_SIZES 16
#define THP_SIZE_STATS 8
#define THP_COUNTERS 6

struct thp_size {
	char name[32];
	int64_t stat[THP_SIZE_STATS];	/* -1: not there */
};

struct thp_before {
	struct thp_size size[THP_SIZES];
	size_t sizes;
	uint64_t counter[THP_COUNTERS];
};

struct thp {
	struct ledger_run run;
	struct flt_table *table;
	struct thp_cover *cover;	/* as far as it was seen */
	size_t covers, next;		/* next: where the next look at /proc begins */
	char scan[FLT_SCAN_RESULTS][THP_SCAN_NAME];
	struct thp_before before;
	uint64_t reports;
};

const struct flt_coverage *thp_coverage(const struct thp *t, uint64_t id);

int thp_report_open(struct thp *t, enum flt_format format);
int thp_report(void *arg, const struct ledger_span *span);

/* Lines of text, or rows through add: what, name, value. */
typedef int (*thp_fact_fn)(void *arg, const char *what, const char *name, const char *value);
int thp_machine_settings(thp_fact_fn fn, void *arg);
/*
 * What the kernel counts for the machine only, since it was looked at first: of files, shmem
 * and swap, and of sizes between small and huge (mTHP). Nothing of what did not change.
 */
void thp_machine_begin(struct thp_before *before);
int thp_machine_since(const struct thp_before *before, thp_fact_fn fn, void *arg);
/* Huge pages are off: enabled is never, for all sizes. */
bool thp_machine_off(void);

#endif
