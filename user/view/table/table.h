/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - write rows as text, JSON or CSV.
 *
 * A command defines its columns once (column.h) and passes rows. Rows of text are kept until
 * flt_table_flush(), which makes each column as wide as its contents. Columns never become
 * narrower, so that successive reports look alike. JSON has one object per line. CSV has a
 * heading line, LF line ends and the quoting of RFC 4180.
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

/* The options --json and --csv of a command. The member is an int (enum flt_format). */
#define FLT_TABLE_OPTS(args, member)                                                           \
	{ .name = "json", .type = FLT_OPT_SET, .offset = offsetof(args, member),               \
	  .value = FLT_FORMAT_JSON, .help = "Write rows as JSON, one object per line." },  \
	{ .name = "csv", .type = FLT_OPT_SET, .offset = offsetof(args, member),                \
	  .value = FLT_FORMAT_CSV, .help = "Write rows as CSV, with a line of column names." }

struct flt_table;

/*
 * Make a table of the columns before FLT_COLUMN_END. shown: mask for .text_if and .data_if. The
 * array is copied, but its strings must outlive the table. Return -ENOMEM.
 */
int flt_table_new(struct flt_table **table, FILE *out, enum flt_format format,
		  const struct flt_column *columns, uint64_t shown);
/* Flush the table and free it. NULL is allowed. */
void flt_table_free(struct flt_table *table);

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
