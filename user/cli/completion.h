/* SPDX-License-Identifier: GPL-2.0-or-later */
/* completion.h - print shell completion from the tables of commands and options. */
#ifndef FLT_CLI_COMPLETION_H
#define FLT_CLI_COMPLETION_H

#include <stdio.h>

#include "cli/command.h"

void flt_completion_bash(FILE *out, const struct flt_command *const *commands);
void flt_completion_zsh(FILE *out, const struct flt_command *const *commands);
void flt_completion_fish(FILE *out, const struct flt_command *const *commands);

#endif
