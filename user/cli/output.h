/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - where a command's rows go: standard output, or the file of -o.
 */
#ifndef FLT_CMD_OUTPUT_H
#define FLT_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"

/* path NULL: standard output. An exit status; what is wrong has been said. */
int output_open(FILE **out, const struct flt_command *command, const char *path);

/*
 * Something could not be written: asked right after a flush, when it is known why.
 * That goes to *error unless there is something.
 */
bool output_failed(FILE *out, int *error);

/*
 * The status, or FLT_EXIT_FAILED in place of FLT_EXIT_DONE where not all is in the file,
 * which is said with its reason: error if it is known, else what the last write says.
 * out may be NULL; standard output is closed, and judged, by main().
 */
int output_close(FILE *out, const struct flt_command *command, const char *path, int error,
		 int status);

#endif
