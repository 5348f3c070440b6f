/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manual.h - print help from the tables of commands and options. */
#ifndef FLT_CLI_MANUAL_H
#define FLT_CLI_MANUAL_H

#include <stdio.h>

#include "cli/command.h"

/* Print the list of commands. */
void flt_manual_overview(FILE *out, const struct flt_command *const *commands);
/* Print the text of --help of a command. */
void flt_manual_help(FILE *out, const struct flt_command *command);
/* Room for the name of an option's value, which may be a list of choices. */
#define FLT_MANUAL_ARG 128

/* Write the name of an option's value: "PID,..." or "kind|process". */
void flt_manual_arg(char text[FLT_MANUAL_ARG], const struct flt_opt *opt);

#define FLT_MANUAL_TEXT 1024

/* Write the help of an option, and the values that are allowed. Return text. */
char *flt_manual_text(char text[FLT_MANUAL_TEXT], const struct flt_opt *opt);

/* The exit status of commands with .passes_status. */
extern const char flt_manual_passed[];

#endif
