/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - the same rows as text, JSON or CSV.
 *
 * A command describes its columns once (column.h) and hands over rows. Text is held
 * back until flt_table_flush(), which fits the columns to their contents; columns grow
 * and never shrink, so that a running report keeps its shape. JSON is one object per
 * row and line. CSV has a heading line, LF line ends and the quoting of RFC 4180.
 */
#ifndef FLT_VIEW_TABLE_H
#define FLT_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "view/table/column.h"

enum flt_format {
	FLT_FORMAT_TEXT = 0,
	FLT_FORMAT_JSON,
	FLT_FORMAT_CSV,
};

/* The two rows every command's option table ends in; the member is an int. */
#define FLT_TABLE_OPTS(args, member)                                                           \
	{ .name = "json", .type = FLT_OPT_SET, .offset = offsetof(args, member),               \
	  .value = FLT_FORMAT_JSON, .help = "Write rows as JSON, one object per line." },  \
	{ .name = "csv", .type = FLT_OPT_SET, .offset = offsetof(args, member),                \
	  .value = FLT_FORMAT_CSV, .help = "Write rows as CSV, with a line of column names." }

struct flt_table;

/*
 * Make a table of the columns before FLT_COLUMN_END whose text_if or data_if is 0 or has
 * a bit of shown. The array is copied; its strings must outlive the table. -ENOMEM.
 */
int flt_table_new(struct flt_table **table, FILE *out, enum flt_format format,
		  const struct flt_column *columns, uint64_t shown);
/* Flush and free. */
void flt_table_free(struct flt_table *table);

/*
 * Add a row: the struct that the offsets of the columns are of. known: which columns with
 * known_if have a value. -ENOMEM; write errors stay in the FILE.
 */
int flt_table_row(struct flt_table *table, const void *row, uint64_t known);

/*
 * Write the rows held back, under a heading if headed, and flush the FILE, so that a
 * reader at the other end of a pipe sees an interval when it is over.
 */
void flt_table_flush(struct flt_table *table, bool headed);

#endif
