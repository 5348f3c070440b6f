/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - write rows to standard output, or to the file of -o.
 */
#ifndef FLT_CLI_OUTPUT_H
#define FLT_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"

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

#endif
