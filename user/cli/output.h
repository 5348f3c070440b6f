/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - write rows to standard output, or to the file of -o.
 */
#ifndef FLT_CLI_OUTPUT_H
#define FLT_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"

/* Return the remedy for an errno of opening a file to write, to append to a message, or "". */
const char *output_hint(int error);

/*
 * Return the errno with which writing to a file would fail, or 0 if none is foreseeable. replace: a
 * new file will take the place of the file, so its directory must be writable, too.
 */
int output_denied(const char *path, bool replace);
/*
 * Report before a long run that output_open() will fail. path may be NULL. The file is not changed.
 * Return the exit status.
 */
int output_check(const struct flt_command *command, const char *path);

/* Open path; NULL is standard output. Report errors. Return the exit status. */
int output_open(FILE **out, const struct flt_command *command, const char *path);

/*
 * Return true if a write failed. Call right after a flush, while errno has the reason. Store
 * the reason in *error unless *error is set.
 */
bool output_failed(FILE *out, int *error);

/*
 * Close the file. If a write failed, report error, or the error of the last write if error is
 * 0, and return FLT_EXIT_FAILED in place of FLT_EXIT_DONE. Otherwise return status. out may
 * be NULL. main() closes standard output.
 */
int output_close(FILE *out, const struct flt_command *command, const char *path, int error,
		 int status);

/* The option -o of a command that prints to stdout. The member is a const char *. */
#define OUTPUT_OPT(args, member)                                                               \
	{ .name = "output", .letter = 'o', .type = FLT_OPT_FILE,                               \
	  .offset = offsetof(args, member), .arg = "FILE",                                     \
	  .help = "Write to FILE instead of standard output. The command after '--' keeps "    \
		  "standard output." }

/* stdout is a file, and a command must get the original one. All zero: nothing was done. */
struct output_redirect {
	const char *path;
	int original;		/* a descriptor without stdout's number; 0: stdout is unchanged */
};

/* Make stdout the file of path, unless path is NULL. Report errors. Return the exit status. */
int output_redirect(struct output_redirect *r, const struct flt_command *command, const char *path);
/* Write the rest and restore stdout. Report errors. Return status, or FLT_EXIT_FAILED. */
int output_restore(struct output_redirect *r, const struct flt_command *command, int status);

#endif
