/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger_run.h - what 'fltctl thp' and 'fltctl numa' do alike: a session that has a
 * ledger kept, looks at intervals or around a command, and what was missed.
 */
#ifndef FLT_CMD_LEDGER_RUN_H
#define FLT_CMD_LEDGER_RUN_H

#include "observe/correlation.h"
#include "cli/command.h"
#include "account/ledger.h"
#include "source/netlink/ledger_ask.h"
#include "view/table/table.h"

struct ledger_args {
	struct flt_ids pids;
	bool all;
	struct flt_correlation_args with;
	int format;		/* enum flt_format */
};

/* The options of both. */
extern const struct flt_opt ledger_opts[];

/* Two looks: what lies between them is one report. */
struct ledger_span {
	const struct flt_ledger *before, *after;
	uint64_t ns;
	bool last;		/* the whole, and the end; else one interval of it */
};

struct ledger_run {
	const struct flt_command *command;
	const struct ledger_args *args;
	struct flt_control *control;
	enum flt_ledger_which which;
	const char *event;		/* what --with counts beside faults, and which counter it is */
	uint32_t counter;
	const char *const *hooks;	/* prefixes of the names of those it needs; NULL-terminated */
	/* 0 or -errno. */
	int (*report)(void *arg, const struct ledger_span *span);
	/* At least twice a second while a command or -p runs: what /proc forgets. May be NULL. */
	void (*sample)(void *arg, const struct flt_ledger *now);
	void *arg;

	struct flt_correlation *with;		/* by ledger_check(), as is what follows */
	uint64_t interval, count;	/* of words */
	bool filtered;			/* only some processes: of -p or a command */
};

/* Of the words, the options and the module: DONE, or why it cannot be, said. Before anything is written. */
int ledger_check(struct ledger_run *r, const struct flt_run *run);
/* After it: runs until the command, the processes of -p, the count or a signal ends it; the exit status. */
int ledger_run(struct ledger_run *r, char **command);

/*
 * put() each line since the first look that is not idle: of each process, then of the
 * rest; those of -p also if they are; with -a the machine's only. record and comm are what a row calls it, comm NULL for
 * a process, which has its own. sum, if not NULL, receives the sum of them.
 */
typedef int (*ledger_put_fn)(void *arg, const struct flt_ledger_line *line, const char *record, const char *comm);
int ledger_each(const struct ledger_run *run, const struct ledger_span *span, ledger_put_fn put, void *arg,
		struct flt_ledger_line *sum);

#endif
