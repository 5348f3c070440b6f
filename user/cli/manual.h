/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manual.h - help text, manual pages and shell completion, from the tables.
 */
#ifndef FLT_CMD_MANUAL_H
#define FLT_CMD_MANUAL_H

#include <stdio.h>

struct flt_command;

void flt_manual_overview(FILE *out);
void flt_manual_help(FILE *out, const struct flt_command *command);
/* man(7) from NAME to OPTIONS; command NULL: the page of fltctl itself. */
void flt_manual_page(FILE *out, const struct flt_command *command);
void flt_manual_bash(FILE *out);
void flt_manual_zsh(FILE *out);
void flt_manual_fish(FILE *out);

#endif
