/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - the processes that a command observes, and the interval of its reports.
 *
 * Targets are -p PID,..., -a, --cgroup DIR, a recording, or '-- COMMAND'. The words
 * INTERVAL [COUNT] say how often the command reports.
 */
#ifndef FLT_TARGET_H
#define FLT_TARGET_H

#include "cli/command.h"

struct flt_target {
	/* Set by the caller. */
	const struct flt_command *command;	/* reports errors */
	const struct flt_ids *pids;	/* of -p */
	const char *cgroup;		/* of --cgroup */
	bool all;			/* -a was given */
	bool follow;			/* --follow was given */
	bool takes_file;		/* a word is a recording, not an interval */
	bool takes_command;
	bool all_with_command;		/* -a and a command are allowed together */
	bool any_cgroup;		/* the caller checks the directory of --cgroup */
	const char *missing;		/* remedy if no target is given; NULL: observe everything */
	const char *least, *most;	/* limits of INTERVAL, as "10ms"; least NULL: takes none */
	const char *counted;		/* unit of COUNT, e.g. "reports" */

	/* Filled by flt_target_read(). */
	char **argv;			/* the command to run, or NULL */
	const char *file;
	uint64_t interval;		/* ns; unchanged if not given */
	uint64_t count;			/* unchanged if not given */
};

/* Return FLT_EXIT_DONE, or report the usage error and return its exit status. */
int flt_target_read(struct flt_target *t, const struct flt_words *words);

/*
 * Report the first PID that is not a process, or is a thread of one. Return FLT_EXIT_DONE or the
 * exit status.
 */
int flt_target_check_pids(const struct flt_command *command, const struct flt_ids *pids);

/* Return true if all processes of the list have ended. */
bool flt_target_ended(const struct flt_ids *pids);

#endif
