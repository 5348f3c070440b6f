/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - a screen of characters, made without a terminal.
 *
 * Rows of cells, each one character of the terminal's width or half of a wide
 * one. Whatever is put is made safe first: only letters whose width is known
 * stand for themselves, all else is escaped as escape.h has it (combining and
 * invisible characters as well). Nothing is written past the box it was put into.
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
	char text[5];		/* UTF-8; empty: right half of the wide one before */
	uint8_t look;		/* enum flt_look_of */
};

struct flt_screen {
	int rows, cols;
	bool unicode;		/* else only ASCII, the rest escaped */
	struct flt_screen_cell *cell;
};

/* Blank. -ENOMEM; at most 1000 rows and columns are made. */
int flt_screen_open(struct flt_screen *screen, int rows, int cols, bool unicode);
void flt_screen_close(struct flt_screen *screen);

/* Columns of the text as it is shown. */
int flt_screen_width(const struct flt_screen *screen, const char *text);
/* In the box from col on, width columns (0: to the end); returns the column after the text. */
int flt_screen_put(struct flt_screen *screen, int row, int col, int width, bool right,
		   enum flt_look_of look, const char *text);

/* Structs that columns show, as flt_table_row() takes them. */
struct flt_screen_rows {
	const struct flt_column *columns;
	uint64_t shown;			/* which of them */
	const struct flt_column *sorted;	/* one of them, or NULL */
	const void *row;
	size_t size, count;		/* bytes of a row; rows */
	size_t known;			/* offset of a uint64_t in the row: its mask */
};

/*
 * Put a heading and rows below it, down to and without the row end. The last column takes
 * the rest of the line if it is flush left. -ENOMEM.
 */
int flt_screen_table(struct flt_screen *screen, int row, int end,
		     const struct flt_screen_rows *rows);

/* A row as a string, blanks at its end cut off; room for 4 * cols + 1 bytes. For tests. */
void flt_screen_line(const struct flt_screen *screen, int row, char *out);

#endif
