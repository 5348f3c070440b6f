/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger_run.h - what 'fltctl thp' and 'fltctl numa' do alike: a session that has a
 * ledger kept, looks at intervals or around a command, and what was missed.
 */
#ifndef FLT_CMD_LEDGER_RUN_H
#define FLT_CMD_LEDGER_RUN_H

#include "command.h"
#include "ledger.h"
#include "source/ledger_ask.h"
#include "view/table.h"

struct ledger_args {
	struct flt_ids pids;
	bool all;
	int format;		/* enum flt_format */
};

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
	const char *const *hooks;	/* prefixes of the names of those it needs; NULL-terminated */
	/* 0 or -errno. */
	int (*report)(void *arg, const struct ledger_span *span);
	/* At least twice a second while a command or -p runs: what /proc forgets. May be NULL. */
	void (*sample)(void *arg, const struct flt_ledger *now);
	void *arg;

	uint64_t interval, count;	/* of words */
	bool filtered;			/* only some processes: of -p or a command */
};

/* Runs until the command, the processes of -p, the count or a signal ends it; the exit status. */
int ledger_run(struct ledger_run *run, const struct flt_words *words);

/* Of each process, then of the rest: since the first look, and not idle. The end: false. */
struct ledger_walk {
	const struct ledger_span *span;
	bool filtered;
	size_t at;
	struct flt_ledger_line line, rest;
	const char *comm;	/* of what is no process; else NULL */
};

bool ledger_walk_next(struct ledger_walk *walk);

#endif
