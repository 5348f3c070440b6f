/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell.h - write a command as a line for a shell. */
#ifndef FLT_SHELL_H
#define FLT_SHELL_H

/*
 * Quote the words, which end with NULL, where a shell needs that. The caller frees the line. Return
 * NULL if there is no memory.
 */
char *flt_shell_quote(char *const *words);

#endif
