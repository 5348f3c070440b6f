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

#include "view/table/cell.h"
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

/* Until all commands use rows: a table of cells, one for each of count columns. */
int flt_table_new_cells(struct flt_table **table, FILE *out, enum flt_format format,
			const struct flt_column *columns, size_t count);
int flt_table_cells(struct flt_table *table, const struct flt_cell *cells);

static inline struct flt_cell flt_cell_absent(void)
{
	return (struct flt_cell){ .type = FLT_CELL_ABSENT };
}

/* NULL is absent. */
static inline struct flt_cell flt_cell_string(const char *string)
{
	return (struct flt_cell){ .type = string ? FLT_CELL_STRING : FLT_CELL_ABSENT,
				  .string = string };
}

/* NULL is absent. */
static inline struct flt_cell flt_cell_lines(const char *lines)
{
	return (struct flt_cell){ .type = lines ? FLT_CELL_LINES : FLT_CELL_ABSENT,
				  .string = lines };
}

static inline struct flt_cell flt_cell_u64(uint64_t value)
{
	return (struct flt_cell){ .type = FLT_CELL_U64, .u64 = value };
}

static inline struct flt_cell flt_cell_i64(int64_t value)
{
	return (struct flt_cell){ .type = FLT_CELL_I64, .i64 = value };
}

static inline struct flt_cell flt_cell_double(double value, int decimals)
{
	return (struct flt_cell){ .type = FLT_CELL_DOUBLE, .decimals = decimals, .real = value };
}

static inline struct flt_cell flt_cell_bool(bool value)
{
	return (struct flt_cell){ .type = FLT_CELL_BOOL, .yes = value };
}

static inline struct flt_cell flt_cell_ns(uint64_t ns)
{
	return (struct flt_cell){ .type = FLT_CELL_NS, .u64 = ns };
}

static inline struct flt_cell flt_cell_size(uint64_t bytes)
{
	return (struct flt_cell){ .type = FLT_CELL_SIZE, .u64 = bytes };
}

static inline struct flt_cell flt_cell_hex(uint64_t value)
{
	return (struct flt_cell){ .type = FLT_CELL_HEX, .u64 = value };
}

#endif
