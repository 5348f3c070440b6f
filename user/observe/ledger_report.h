/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_report.h - the parts that the reports of 'fltctl thp' and 'fltctl numa' share. */
#ifndef FLT_LEDGER_REPORT_H
#define FLT_LEDGER_REPORT_H

#include "observe/ledger_run.h"

/* The common members of a row. */
struct flt_ledger_row {
	const char *record, *span;
	uint64_t ns;			/* of the span */
	uint32_t pid;
	const char *comm, *cgroup, *container;
	uint64_t n[FLT_LEDGER_COUNTERS];
	const char *event, *reason;
	uint64_t count;			/* of a reason */
};

/* The tables of text that have a column. */
enum { FLT_LEDGER_SHOW_PROCESS = 1, FLT_LEDGER_SHOW_CGROUP = 2 };

/* The first columns; `member` is a struct flt_ledger_row. */
#define FLT_LEDGER_COLUMNS(row, member)							\
	{ "record", NULL, 0, FLT_COLUMN_STRING, FLT_AT(row, member.record) },		\
	{ "span", NULL, 0, FLT_COLUMN_STRING, FLT_AT(row, member.span) },		\
	{ "seconds", NULL, 0, FLT_COLUMN_SECONDS, FLT_AT(row, member.ns), .decimals = 3 },	\
	{ "pid", "pid", 7, FLT_COLUMN_COUNT, FLT_AT(row, member.pid), .zero_unknown = true,	\
	  .text_if = FLT_LEDGER_SHOW_PROCESS },							\
	{ "comm", "comm", -15, FLT_COLUMN_STRING, FLT_AT(row, member.comm),			\
	  .text_if = FLT_LEDGER_SHOW_PROCESS },							\
	{ "cgroup", NULL, 0, FLT_COLUMN_STRING, FLT_AT(row, member.cgroup) },			\
	{ "container", "cgroup", -20, FLT_COLUMN_STRING, FLT_AT(row, member.container),		\
	  .text_if = FLT_LEDGER_SHOW_CGROUP }

/* Make the table of a command. Return -ENOMEM. */
int flt_ledger_report_open(struct flt_ledger_run *run, const struct flt_column *columns);
/* Return a row without counters. line NULL: a row of the machine. who NULL: without a name. */
struct flt_ledger_row flt_ledger_row(const struct flt_ledger_run_span *span, const char *record,
				     const struct flt_ledger_line *line,
				     const struct flt_ledger_who *who);
/* Fill the counters of a line, and the name of a process. */
void flt_ledger_row_count(struct flt_ledger_row *row, const struct flt_ledger_line *line,
			  const struct flt_ledger_who *who);

/*
 * Write the lines of a report, as flt_ledger_run_each() does. The last report and every 20th have a
 * heading.
 */
int flt_ledger_report(const struct flt_ledger_run *run, const struct flt_ledger_run_span *span,
		      flt_ledger_put_fn put, void *arg, struct flt_ledger_line *sum);
/* Print a reason of a line below the report; event and reason are padded to these widths. */
void flt_ledger_report_reason(const struct flt_ledger_line *line,
			      const struct flt_ledger_who *who, const char *event,
			      int event_width, const char *reason, int reason_width,
			      uint64_t count);

#endif
