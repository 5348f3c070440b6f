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

#include "cmd/ledger_run.h"
#include "source/coverage.h"

#define THP_SCAN_NAME 40

struct thp_cover {
	uint64_t id;
	struct flt_coverage now;
};

struct thp {
	struct ledger_run run;
	struct flt_table *table;
	struct thp_cover *cover;	/* as far as it was seen */
	size_t covers, next;		/* next: where the next look at /proc begins */
	char scan[FLT_SCAN_RESULTS][THP_SCAN_NAME];
	uint64_t reports;
};

const struct flt_coverage *thp_coverage(const struct thp *t, uint64_t id);

int thp_report_open(struct thp *t, enum flt_format format);
int thp_report(void *arg, const struct ledger_span *span);

/* Lines of text, or rows through add: what, name, value. */
typedef int (*thp_fact_fn)(void *arg, const char *what, const char *name, const char *value);
int thp_machine_settings(thp_fact_fn fn, void *arg);
/* mTHP: since the first call, sizes that anything happened to. */
int thp_machine_sizes(thp_fact_fn fn, void *arg);
/* Huge pages are off: enabled is never, for all sizes. */
bool thp_machine_off(void);

#endif
