/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - what the files of 'fltctl stats' share.
 *
 *   stats.c     options, and which way to go
 *   snapshot.c  the state now, from the module or from /proc
 *   watch.c     [interval [count]]
 *   run.c       -- command
 *   columns.c   a row and its columns
 *   report.c    the rows of a report
 *   total.c     totals, and what is missing
 *   summary.c   a command that has ended
 */
#ifndef FLT_CMD_STATS_H
#define FLT_CMD_STATS_H

#include "account/account.h"
#include "observe/correlation.h"
#include "cli/command.h"
#include "view/table/table.h"

enum stats_by {
	STATS_BY_PROCESS = 0,
	STATS_BY_THREAD,
	STATS_BY_KIND,
	STATS_BY_MACHINE,	/* -a: one row for all */
};

enum stats_source { STATS_SOURCE_AUTO = 0, STATS_SOURCE_MODULE, STATS_SOURCE_KERNEL };

/* --top was not given. */
#define STATS_TOP_UNSET UINT64_MAX
#define STATS_TOP_COMMAND 20

struct stats_args {
	struct flt_ids pids;
	bool all;
	bool threads;
	bool kinds;
	int by;			/* enum stats_by; by machine is -a */
	int source;		/* enum stats_source */
	int format;		/* enum flt_format */
	uint64_t top;
	const char *output;
	struct flt_correlation_args with;
};

struct flt_perf;
struct stats_bound;

struct stats {
	const struct flt_command *command;
	const struct stats_args *args;
	enum stats_by by;
	uint64_t interval;	/* ns; 0: one report */
	uint64_t count;		/* of reports; 0: until interrupted */

	/* Where counts come from. */
	struct flt_control *control;	/* NULL: the kernel's own */
	uint32_t session;		/* 0: none */
	struct flt_correlation *with;		/* NULL: --with was not given */
	const struct flt_perf *perf;	/* of the command, without the module */
	struct stats_bound *bound;	/* of each -p: the process it means */
	uint64_t since;			/* counts began; CLOCK_MONOTONIC, 0: with each process */

	/* Where they go. */
	FILE *out;
	int unwritten;			/* why not all is in it, as errno; 0: all is */
	struct flt_table *table;
	bool kinds;			/* of faults are known and shown */
	uint64_t stamp;			/* of the report under way; ns since 1970 */
	uint64_t reports;
	uint64_t rows_held;		/* since the last flush */

	/* Watching: the last look, and what left it since the first. */
	struct flt_look last;
	struct flt_account gone;
	struct flt_account other_shown;
	struct flt_account other;	/* of the last look: no row, or retired */
	uint64_t vanished;
};

/* stats_look.c */
int stats_look(struct stats *s, struct flt_look *look, struct flt_errmsg *e);
void stats_look_free(struct flt_look *look);
/* Every process of -p has ended. */
bool stats_look_over(const struct stats *s, const struct flt_look *look);
/* Fixes which process each -p means. -ESRCH with a sentence. */
int stats_bind(struct stats *s, struct flt_errmsg *e);

/* stats_watch.c */
int stats_watch(struct stats *s);
/* One look and its rows; first: since counting began. */
int stats_watch_report(struct stats *s, bool first, struct flt_errmsg *e);

/* stats_run.c */
int stats_run(struct stats *s, char **command);

/* stats_report.c, stats_total.c, stats_summary.c */
int stats_report_open(struct stats *s, bool kinds);
void stats_report_close(struct stats *s);
void stats_report_begin(struct stats *s);
/* The heading line that says what the first report covers. */
void stats_report_since(struct stats *s, uint64_t since, uint64_t now);
int stats_report_row(struct stats *s, const char *record, const char *span,
		     const struct flt_row *row, uint64_t ns);
/*
 * Rows in their order, those past top (0: none, and none in data) in one row
 * "(others)". ns 0: each since its own beginning.
 */
int stats_report_rows(struct stats *s, const char *record, const char *span,
		      const struct flt_rows *rows, uint64_t top, uint64_t ns);
int stats_report_kinds(struct stats *s, const char *span, const struct flt_account *account,
		       uint64_t ns);
/* What the table holds, and whether that could be written. */
void stats_report_write(struct stats *s, bool headed);
void stats_report_flush(struct stats *s, bool headed);
/* Totals, then what is missing; FLT_EXIT_DONE or FLT_EXIT_INCOMPLETE. */
int stats_report_total(struct stats *s, const struct flt_look *look, uint64_t ns);
int stats_report_loss(const struct stats *s, const struct flt_loss *loss);

struct stats_command {
	char **argv;
	uint64_t elapsed, user, system;	/* ns */
	uint64_t minor, major;		/* as wait4() says */
	int status;			/* exit status, 128 + signal */
	uint32_t processes;
};

int stats_report_command(struct stats *s, const struct stats_command *c,
			 const struct flt_look *look);

/* Print the section of the manual page that lists the counters. */
void stats_columns_manual(FILE *out);

#endif
