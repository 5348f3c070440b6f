/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - describe a command, and report its errors.
 *
 * A command defines a const struct flt_command in cmd/ and has a row in the table of
 * cmd/commands.c. main() parses the options into a fresh copy of .defaults, opens the
 * module as .needs says, calls .main and releases everything.
 */
#ifndef FLT_COMMAND_H
#define FLT_COMMAND_H

#include <stddef.h>
#include <stdio.h>

#include "cli/opts.h"

enum flt_exit {
	FLT_EXIT_DONE = 0,
	FLT_EXIT_FAILED = 1,
	FLT_EXIT_USAGE = 2,
	FLT_EXIT_INCOMPLETE = 3,	/* done, but the result is incomplete */
	FLT_EXIT_PERMISSION = 4,
	FLT_EXIT_UNSUPPORTED = 5,	/* ... or the module is not loaded */
	FLT_EXIT_STATUSES,
};

/* The meaning of each exit status, for help and manual pages. */
extern const char *const flt_exit_texts[FLT_EXIT_STATUSES];

enum flt_need {
	FLT_NEEDS_MODULE = 1 << 0,	/* main() is called only if run->control is open */
	FLT_USES_MODULE = 1 << 1,	/* if run->control is NULL, control_error has the reason */
};

/* An exit status that other commands do not have. */
struct flt_exit_note {
	int status;
	const char *text;
};

struct flt_control;
struct flt_command;

struct flt_run {
	const struct flt_command *command;
	void *args;			/* the command's own struct, filled by the options */
	struct flt_words words;
	struct flt_control *control;
	int control_error;		/* -errno if control is NULL */
	struct flt_errmsg control_message;
};

struct flt_command {
	const char *name;
	const char *summary;		/* one line, no full stop */
	const char *const *synopsis;	/* lines, each without "fltctl NAME"; NULL-terminated */
	const char *const *about;	/* paragraphs; NULL-terminated */
	const struct flt_opt *opts;	/* ends in an empty row; may be NULL */
	const void *defaults;		/* of the arguments; NULL: all zero */
	size_t args_size;
	unsigned int needs;		/* enum flt_need */
	const struct flt_exit_note *exits;	/* ends in an empty row; may be NULL */
	bool passes_status;		/* of the command after '--' that fails */
	/* Print a section of the manual page that comes from a table. NULL: none. */
	void (*manual)(FILE *out);
	int (*main)(struct flt_run *run);	/* returns the exit status */
};

/* Print "fltctl NAME: ..." to standard error, as one escaped line. command may be NULL. */
void flt_command_say(const struct flt_command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Print the message of e (or of err). Return the exit status for err. */
int flt_command_fail(const struct flt_command *command, const struct flt_errmsg *e, int err);
/*
 * Report that `other` is used instead of the best source, and why. missing: the data that `other`
 * does not have, or NULL.
 */
void flt_command_fall_back(const struct flt_command *command, const char *why, const char *other,
			   const char *missing);
/* Print a usage error and a pointer to help. Return FLT_EXIT_USAGE. */
int flt_command_misuse(const struct flt_command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Return the exit status for a -errno. */
int flt_exit_of(int err);

#endif
