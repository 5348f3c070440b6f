/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger_run.h - the run of 'fltctl thp' and 'fltctl numa': a session that makes the module
 * keep a ledger, snapshots at intervals or around a command, and losses.
 */
#ifndef FLT_LEDGER_RUN_H
#define FLT_LEDGER_RUN_H

#include "observe/correlation.h"
#include "cli/command.h"
#include "cli/output.h"
#include "account/ledger.h"
#include "observe/ledger_cgroups.h"
#include "observe/members.h"
#include "source/netlink/ledger_ask.h"
#include "view/table/table.h"

enum flt_ledger_by { FLT_LEDGER_BY_PROCESS = 0, FLT_LEDGER_BY_CGROUP };

struct flt_ledger_run_args {
	struct flt_ids pids;	/* of -p */
	const char *cgroup;	/* of --cgroup */
	bool all;		/* -a */
	int by;			/* enum flt_ledger_by */
	struct flt_correlation_args with;
	struct flt_table_style style;
	const char *output;	/* of -o */
};

/* The options of both commands. */
extern const struct flt_opt flt_ledger_run_opts[];

/* A report covers the time between two snapshots. */
struct flt_ledger_run_span {
	const struct flt_ledger *before, *after;
	uint64_t ns, number;	/* number: of reports before this one */
	bool last;		/* the final report, of the whole run; else of one interval */
};

struct flt_ledger_run {
	const struct flt_command *command;
	const struct flt_ledger_run_args *args;
	struct flt_control *control;
	struct output_redirect redirect;
	enum flt_ledger_which which;
	const char *event;		/* events that --with also counts, e.g. "huge faults" */
	uint32_t counter;		/* the counter of these events */
	const char *const *hooks;	/* prefixes of the names of its hooks; NULL-terminated */
	/* Write a report. Return 0 or -errno. */
	int (*report)(void *arg, const struct flt_ledger_run_span *span);
	/*
	 * Called at least twice a second while the command or the processes of -p run, to read
	 * data from /proc before a process ends. May be NULL.
	 */
	void (*sample)(void *arg, const struct flt_ledger *now);
	void *arg;
	struct flt_table *table;	/* the caller's, for report() */

	/* Filled by flt_ledger_run_check(). */
	struct flt_correlation *with;
	uint64_t interval, count;
	bool filtered;			/* only the processes of -p or of a command */
	struct flt_members *members;	/* of --cgroup, or NULL */
	struct flt_cgroups *cgroups;	/* of --by=cgroup, or NULL */
};

/*
 * Validate arguments, options and the module. Report any error. Return FLT_EXIT_DONE or the
 * exit status. Call before any output is written.
 */
int flt_ledger_run_check(struct flt_ledger_run *r, const struct flt_run *run);
/*
 * Run until the command or all processes of -p end, the count is reached or a signal
 * arrives. Call flt_ledger_run_check() first. Return the exit status.
 */
int flt_ledger_run(struct flt_ledger_run *r, char **command);

/*
 * Call put() for each line that counted something in the span: of each process or cgroup, then of
 * the rest. Lines of -p are put in any case. With -a there is only the line of the machine.
 * sum receives the sum of the lines if it is not NULL. Return 0 or the first error of put().
 */
int flt_ledger_run_each(const struct flt_ledger_run *run, const struct flt_ledger_run_span *span,
			flt_ledger_put_fn put, void *arg, struct flt_ledger_line *sum);

#endif
