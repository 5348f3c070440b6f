/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - declarations shared by the files of `fltctl report`. */
#ifndef FLT_CMD_REPORT_H
#define FLT_CMD_REPORT_H

#include "timeline/load.h"
#include "model/code/sites.h"
#include "model/code/symbols.h"
#include "view/table/table.h"

/* Other layouts of the rows, of --format. */
enum flt_report_layout { FLT_REPORT_FLTRACE };

struct flt_report_args {
	const char *input, *diff;
	int by;				/* enum flt_by; -1: the default of the format */
	uint64_t top, min_percent;
	bool callers, callees;
	struct flt_load_filter filter;
	uint64_t duration;		/* ns, of --for; 0: not given */
	struct flt_symbols_setup symbols;
	struct flt_table_style style;
	int layout;			/* enum flt_report_layout; -1: our own */
};

struct flt_report {
	struct flt_run *run;
	const struct flt_report_args *args;
	struct flt_fault_filter filter;
	enum flt_by by;
	struct flt_load load;
	struct flt_group group;
	struct flt_symbols *symbols;
	struct flt_progress progress;
};

/*
 * Read a recording into groups, and open its symbols. Report an error and return the exit
 * status. Call flt_report_close() in any case.
 */
int flt_report_open(struct flt_report *r, const char *path);
/* Erase the progress of the symbols. Call before writing. */
void flt_report_erase_progress(struct flt_report *r);
void flt_report_close(struct flt_report *r);
int flt_report_group(void *r, struct flt_load *load, const struct flt_fault *faults, size_t n);

/* Write a report to standard output. Return the exit status. */
int flt_report_rows(struct flt_report *r);
int flt_report_stacks(struct flt_report *r);
int flt_report_tree(struct flt_report *r);
int flt_report_diff(struct flt_report *after, const char *path);

/* Return how many of count rows to write. --top limits text only. */
size_t flt_report_shown(const struct flt_report *r, size_t count);

/* Write "main.c:12" to buf and return buf, or return NULL if file is NULL. */
const char *flt_report_source(char *buf, size_t size, const char *file, uint32_t line);

#endif
