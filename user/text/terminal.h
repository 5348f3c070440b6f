/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal.h - the terminal that shows our output: its width, and what it can show.
 */
#ifndef FLT_TEXT_TERMINAL_H
#define FLT_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of a terminal of unknown width. */
#define FLT_TERMINAL_WIDTH 80
/* Erases the rest of the line. */
#define FLT_TERMINAL_ERASE "\033[K"

enum flt_terminal_color { FLT_COLOR_AUTO, FLT_COLOR_ALWAYS, FLT_COLOR_NEVER };
extern const char *const flt_terminal_colors[];		/* their names, NULL-terminated */

/* Return the columns of out: of the terminal, else of $COLUMNS, else FLT_TERMINAL_WIDTH. */
size_t flt_terminal_columns(FILE *out);
/* Return the columns to which text is shortened; 0: out is not a terminal. */
size_t flt_terminal_room(FILE *out);
/* Return true if out is a terminal that erases lines: TERM is not "dumb". */
bool flt_terminal_can_erase(FILE *out);
/*
 * Return true if text for out has colors. color: enum flt_terminal_color. AUTO: on a terminal,
 * unless NO_COLOR is set and not empty or TERM is unset or "dumb".
 */
bool flt_terminal_has_color(FILE *out, int color);

#endif
