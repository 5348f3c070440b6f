/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manpage.h - print manual pages from the tables of commands and options. */
#ifndef FLT_CLI_MANPAGE_H
#define FLT_CLI_MANPAGE_H

#include <stdio.h>

#include "cli/command.h"

/* Print man(7) source from NAME to OPTIONS. Without a command, print the page of fltctl. */
void flt_manpage(FILE *out, const struct flt_command *command,
		 const struct flt_command *const *commands);

/* Print an entry of a list: a term and its meaning. For the .manual of a command. */
void flt_manpage_term(FILE *out, const char *term, const char *meaning);

#endif
