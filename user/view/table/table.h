/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - the same rows as text, JSON or CSV.
 *
 * A command describes its columns once and hands over rows of cells. Text is
 * held back until flt_table_flush(), which fits the columns to what is in them
 * (they grow and never shrink, so that a running report keeps its shape). JSON is
 * one object per row and line, absent cells left out. CSV follows RFC 4180 in
 * quoting, with a heading line and LF line ends; absent cells are empty.
 */
#ifndef FLT_VIEW_TABLE_H
#define FLT_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum flt_format {
	FLT_FORMAT_TEXT = 0,
	FLT_FORMAT_JSON,
	FLT_FORMAT_CSV,
};

/* The two rows every command's option table ends in; the member is an int. */
#define FLT_TABLE_OPTS(args, member)                                                           \
	{ .name = "json", .type = FLT_OPT_SET, .offset = offsetof(args, member),               \
	  .value = FLT_FORMAT_JSON, .help = "Write the rows as JSON, one object per line." },  \
	{ .name = "csv", .type = FLT_OPT_SET, .offset = offsetof(args, member),                \
	  .value = FLT_FORMAT_CSV, .help = "Write the rows as CSV, with a heading line." }

struct flt_column {
	const char *key;	/* JSON key and CSV heading */
	const char *title;	/* text heading; NULL: the column is not in the text */
	int width;		/* least width of the text; negative: flush left */
	bool data_absent;	/* only in the text: JSON and CSV have it elsewhere */
};

enum flt_cell_type {
	FLT_CELL_ABSENT = 0,	/* unknown or not applicable; "-" in the text */
	FLT_CELL_STRING,
	FLT_CELL_U64,
	FLT_CELL_I64,
	FLT_CELL_DOUBLE,
	FLT_CELL_BOOL,		/* "yes", "no" in the text */
	FLT_CELL_NS,		/* nanoseconds; with a unit in the text, a number elsewhere */
	FLT_CELL_SIZE,		/* bytes, likewise */
	FLT_CELL_LINES,		/* each ended by LF: an array in JSON; where the column has */
				/* no title, lines below the row of the text */
	FLT_CELL_HEX,		/* an address: 0x... everywhere, a string in JSON */
};

struct flt_cell {
	enum flt_cell_type type;
	int decimals;		/* FLT_CELL_DOUBLE */
	union {
		const char *string;	/* only borrowed for the call */
		uint64_t u64;
		int64_t i64;
		double real;
		bool yes;
	};
};

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

/*
 * As the text has it, allocated; NULL: no memory. Strings are given as they are: what
 * they may do to a terminal is still to be prevented.
 */
char *flt_cell_text(const struct flt_cell *cell);

struct flt_table;

/* columns stays the caller's and must outlive the table. -ENOMEM. */
int flt_table_new(struct flt_table **table, FILE *out, enum flt_format format,
		  const struct flt_column *columns, size_t count);
/* Flushes. */
void flt_table_free(struct flt_table *table);

/* One cell per column. -ENOMEM; write errors stay in the FILE. */
int flt_table_row(struct flt_table *table, const struct flt_cell *cells);

/*
 * Writes the rows held back, under a heading if headed, and flushes the FILE:
 * a reader behind a pipe sees an interval when it is over.
 */
void flt_table_flush(struct flt_table *table, bool headed);

#endif
