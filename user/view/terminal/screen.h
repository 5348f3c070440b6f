/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - a screen of characters in memory.
 *
 * A cell is one character, or half of a wide one. All text is escaped: only characters of known
 * width are shown as they are. All others, also combining and invisible characters, are escaped
 * as in escape.h. Text is truncated at the end of its box.
 */
#ifndef FLT_VIEW_SCREEN_H
#define FLT_VIEW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/table/table.h"

enum flt_look_of {
	FLT_LOOK_PLAIN = 0, FLT_LOOK_TITLE, FLT_LOOK_HEADING, FLT_LOOK_SORTED, FLT_LOOK_ALERT,
	FLT_LOOK_DIM,
};

struct flt_screen_cell {
	char text[5];		/* UTF-8; empty: right half of a wide character */
	uint8_t look;		/* enum flt_look_of */
};

struct flt_screen {
	int rows, cols;
	bool unicode;		/* else all but ASCII is escaped */
	struct flt_screen_cell *cell;
};

/* Make a blank screen of at most 1000 rows and columns. Return -ENOMEM. */
int flt_screen_open(struct flt_screen *screen, int rows, int cols, bool unicode);
void flt_screen_close(struct flt_screen *screen);

/* Return the columns that the escaped text takes. */
int flt_screen_width(const struct flt_screen *screen, const char *text);
/*
 * Put text into a box of `width` columns from `col` on (0: up to the end of the line). Return the
 * column after the text.
 */
int flt_screen_put(struct flt_screen *screen, int row, int col, int width, bool right,
		   enum flt_look_of look, const char *text);

/* Rows of structs, as for flt_table_row(). */
struct flt_screen_rows {
	const struct flt_column *columns;
	uint64_t shown;			/* bits: columns that are shown */
	const struct flt_column *sorted;	/* column of the order, or NULL */
	const void *row;
	size_t size, count;		/* bytes of a row; rows */
	size_t known;			/* offset of a uint64_t in the row: its mask */
};

/*
 * Put a heading and rows below it, up to but not including row `end`. The last column takes the
 * rest of the line if it is left-aligned. Return -ENOMEM.
 */
int flt_screen_table(struct flt_screen *screen, int row, int end,
		     const struct flt_screen_rows *rows);

/* Copy a row without trailing blanks. `text` has room for 4 * cols + 1 bytes. For tests. */
void flt_screen_line(const struct flt_screen *screen, int row, char *out);

#endif
