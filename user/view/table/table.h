/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - write rows as text, JSON or CSV.
 *
 * A command defines its columns once (column.h) and passes rows. Rows of text are kept until
 * flt_table_flush(), which makes each column as wide as its contents. Columns never become
 * narrower, so that successive reports look alike. On a terminal, lines are shortened to its width
 * (fit.h). JSON has one object per line. CSV has a
 * heading line, LF line ends and the quoting of RFC 4180.
 */
#ifndef FLT_VIEW_TABLE_H
#define FLT_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "text/terminal.h"
#include "view/table/column.h"

enum flt_format {
	FLT_FORMAT_TEXT = 0,
	FLT_FORMAT_JSON,
	FLT_FORMAT_CSV,
};

/* How a command writes its output. All zero: text that fits a terminal, in its colours. */
struct flt_table_style {
	int format;		/* enum flt_format */
	bool wide;		/* do not shorten text to fit a terminal */
	int color;		/* enum flt_terminal_color */
};

/* The options of the output of a command. The member is a struct flt_table_style. */
#define FLT_TABLE_OPTS(args, member)                                                           \
	{ .name = "json", .type = FLT_OPT_SET, .offset = offsetof(args, member.format),        \
	  .value = FLT_FORMAT_JSON, .help = "Write rows as JSON, one object per line." },  \
	{ .name = "csv", .type = FLT_OPT_SET, .offset = offsetof(args, member.format),         \
	  .value = FLT_FORMAT_CSV, .help = "Write rows as CSV, with a line of column names." },  \
	{ .name = "wide", .letter = 'w', .type = FLT_OPT_FLAG,                                  \
	  .offset = offsetof(args, member.wide),                                               \
	  .help = "Shorten nothing to fit the terminal. Files and pipes always get all." },      \
	{ .name = "color", .type = FLT_OPT_CHOICE, .offset = offsetof(args, member.color),       \
	  .choices = flt_terminal_colors,                                                        \
	  .help = "Use colours. auto: on a terminal, unless NO_COLOR is set." }

struct flt_table;

/*
 * Make a table of the columns before FLT_COLUMN_END. shown: mask for .text_if and .data_if. The
 * array is copied, but its strings must outlive the table. Return -ENOMEM.
 */
int flt_table_new(struct flt_table **table, FILE *out, const struct flt_table_style *style,
		  const struct flt_column *columns, uint64_t shown);
/* Flush the table and free it. NULL is allowed. */
void flt_table_free(struct flt_table *table);
/* Make lines of text fit so many columns; 0: do not. Default: the terminal, if .wide is not set. */
void flt_table_fit(struct flt_table *table, size_t columns);

/*
 * Add a row: the struct to which the offsets of the columns refer. known: mask for .known_if.
 * Return -ENOMEM. Check the FILE for write errors.
 */
int flt_table_row(struct flt_table *table, const void *row, uint64_t known);

/*
 * Write the rows of text that were kept, below a heading if headed. Flush the FILE, so that the
 * reader of a pipe gets a report when its interval ends.
 */
void flt_table_flush(struct flt_table *table, bool headed);

#endif
