/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - declarations shared by the files of 'fltctl stats'.
 *
 *   stats.c     options and the choice of the source
 *   snapshot.c  snapshots of the counts, from the module or from /proc
 *   watch.c     reports at intervals
 *   run.c       run a command
 *   columns.c   the columns of a row
 *   report.c    the rows of a report
 *   cgroups.c   rows of cgroups
 *   total.c     totals and losses
 *   summary.c   the summary of a command
 */
#ifndef FLT_CMD_STATS_H
#define FLT_CMD_STATS_H

#include "account/account.h"
#include "observe/correlation.h"
#include "cli/command.h"
#include "observe/members.h"
#include "view/table/table.h"

enum stats_by {
	STATS_BY_PROCESS = 0,
	STATS_BY_THREAD,
	STATS_BY_KIND,
	STATS_BY_CGROUP,
	STATS_BY_MACHINE,	/* -a: one row for all */
};

enum stats_source { STATS_SOURCE_AUTO = 0, STATS_SOURCE_MODULE, STATS_SOURCE_KERNEL };

/* --top was not given. */
#define STATS_TOP_UNSET UINT64_MAX
#define STATS_TOP_COMMAND 20

struct stats_args {
	struct flt_ids pids;
	const char *cgroup;
	bool all;
	bool threads;
	bool kinds;
	int by;			/* enum stats_by but STATS_BY_MACHINE, which is -a */
	int source;		/* enum stats_source */
	struct flt_table_style style;
	uint64_t top;
	const char *output;
	struct flt_correlation_args with;
};

struct flt_perf;
struct stats_bound;
struct stats_cgroups;

struct stats {
	const struct flt_command *command;
	const struct stats_args *args;
	enum stats_by by;
	uint64_t interval;	/* ns; 0: one report */
	uint64_t count;		/* of reports; 0: until interrupted */

	/* The source of the counts. */
	struct flt_control *control;	/* NULL: the kernel's own counters */
	uint32_t session;		/* 0: none */
	struct flt_correlation *with;	/* NULL: no --with */
	const struct flt_perf *perf;	/* counters of the command, without the module */
	struct stats_bound *bound;	/* a process per PID of -p */
	struct flt_members *members;	/* NULL: no --cgroup */
	struct stats_cgroups *cgroups;	/* NULL: not --by=cgroup */
	bool lost_known;		/* the counters below are read */
	uint64_t lost_busy, lost_full;	/* calls that the probe missed before the run */
	uint64_t since;			/* CLOCK_MONOTONIC ns; 0: counts began with each process */

	/* The output. */
	FILE *out;
	int unwritten;			/* errno of the first failed write, or 0 */
	struct flt_table *table;
	bool kinds;			/* kinds of faults are known and shown */
	uint64_t stamp;			/* time of the current report, ns since 1970 */
	uint64_t reports;
	uint64_t rows_held;		/* since the last flush */

	/* For reports at intervals. */
	struct flt_snapshot last;
	struct flt_account gone;	/* sum of rows that disappeared since the first snapshot */
	struct flt_account other;	/* sum of retired rows and of faults without a row */
	struct flt_account other_shown;	/* the part of .other that was reported */
	uint64_t vanished;		/* processes, see struct flt_loss */
};

/* snapshot.c */
/* Fill a snapshot, with sorted rows. Return 0 or -errno. Release it with stats_snapshot_free(). */
int stats_snapshot(struct stats *s, struct flt_snapshot *snapshot, struct flt_errmsg *e);
void stats_snapshot_free(struct flt_snapshot *snapshot);
/* Remember what the probe missed before the run. Return 0 or -errno. */
int stats_lost_begin(struct stats *s, struct flt_errmsg *e);
/* Return true if every process of -p has ended. */
bool stats_all_ended(const struct stats *s);
/* Find the process of each PID of -p. Return 0 or -errno. Call before stats_snapshot(). */
int stats_bind(struct stats *s, struct flt_errmsg *e);

/* cgroups.c */
/* Open if --by=cgroup needs it. Return 0 or -errno. */
int stats_cgroups_open(struct stats *s, struct flt_errmsg *e);
void stats_cgroups_close(struct stats *s);
/*
 * Read what memory.stat counts for the cgroups of @rows, and find the change since the last call.
 * Return 0 or -ENOMEM.
 */
int stats_cgroups_count(struct stats *s, const struct flt_rows *rows);
/* Write the line that compares the counts with those of memory.stat. */
void stats_cgroups_compare(struct stats *s);

/* watch.c */
int stats_watch(struct stats *s);
/* Take a snapshot and report it. first: since counting began. Return 0 or -errno. */
int stats_watch_report(struct stats *s, bool first, struct flt_errmsg *e);

/* run.c */
int stats_run(struct stats *s, char **command);

/* report.c, total.c, summary.c */
int stats_report_open(struct stats *s, bool kinds);
void stats_report_close(struct stats *s);
void stats_report_begin(struct stats *s);
/* Write the heading line of the first report, which covers all faults since counting began. */
void stats_report_since(struct stats *s, uint64_t since, uint64_t now);
int stats_report_row(struct stats *s, const char *record, const char *span,
		     const struct flt_row *row, uint64_t ns);
/*
 * Put rows in their order. In the text, sum up all but the first `top` rows in a row
 * "(others)", unless top is 0. ns is the span; 0: since the start of each process.
 */
int stats_report_rows(struct stats *s, const char *record, const char *span,
		      const struct flt_rows *rows, uint64_t top, uint64_t ns);
int stats_report_kinds(struct stats *s, const char *span, const struct flt_account *account,
		       uint64_t ns);
/* Write the rows that the table holds. Set .unwritten if that fails. */
void stats_report_write(struct stats *s, bool headed);
/* End a report: write its rows, or "no faults" as text. */
void stats_report_flush(struct stats *s, bool headed);
/* Write totals, then losses. Return FLT_EXIT_DONE or FLT_EXIT_INCOMPLETE. */
int stats_report_total(struct stats *s, const struct flt_snapshot *snapshot, uint64_t ns);
int stats_report_loss(const struct stats *s, const struct flt_loss *loss);

struct stats_command {
	char **argv;
	uint64_t elapsed, user, system;	/* ns */
	uint64_t minor, major;		/* of wait4() */
	int status;			/* exit status, 128 + signal */
	uint32_t processes;
};

int stats_report_command(struct stats *s, const struct stats_command *c,
			 const struct flt_snapshot *snapshot);

/* Print the section of the manual page that lists the counters. */
void stats_columns_manual(FILE *out);

#endif
