/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fit.h - make columns of text fit a terminal.
 *
 * Numbers are never shortened. flt_fit_columns() takes space where the reader misses least, and
 * stops when the line fits: padding, long strings, columns without a known value, columns with
 * .spare, gaps, and short strings. A line of numbers alone can still be too long.
 */
#ifndef FLT_VIEW_FIT_H
#define FLT_VIEW_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "view/table/column.h"

struct flt_fit {
	size_t content;		/* columns of the widest cell or of the title */
	bool seen;		/* a cell had a known value */
	size_t width;		/* result: columns of the text */
	bool left_out;		/* result: the column has no place */
};

/*
 * Set the results of the columns with a title, for lines of room columns. choose: decide which
 * columns are left out; otherwise those of the last call are. Return the gap between columns.
 */
size_t flt_fit_columns(struct flt_fit *fits, const struct flt_column *columns, size_t count,
		       size_t room, bool choose);

/*
 * Shorten UTF-8 text to width code points: replace the middle by "..", in place. The end keeps as
 * much as the start, because names of files end with the part that tells them apart.
 */
void flt_fit_text(char *text, size_t width);

#endif
