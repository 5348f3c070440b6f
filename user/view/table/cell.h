/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell.h - one value of a row, ready to be written.
 *
 * flt_cell_read() reads the memory of a row. The other functions write a cell as text, CSV or JSON.
 * csv.c reads the most frequent types of columns itself.
 */
#ifndef FLT_VIEW_CELL_H
#define FLT_VIEW_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "text/buffer.h"
#include "view/table/column.h"
#include "view/table/json.h"

enum flt_cell_type {
	FLT_CELL_ABSENT = 0,	/* unknown */
	FLT_CELL_STRING,
	FLT_CELL_U64,
	FLT_CELL_I64,
	FLT_CELL_DOUBLE,
	FLT_CELL_BOOL,
	FLT_CELL_NS,
	FLT_CELL_SIZE,
	FLT_CELL_LINES,
	FLT_CELL_HEX,
	FLT_CELL_CLOCK,
};

struct flt_cell {
	enum flt_cell_type type;
	int decimals;			/* DOUBLE, CLOCK */
	union {
		const char *string;	/* borrowed from the row */
		uint64_t u64;
		int64_t i64;
		double real;
		bool yes;
	};
};

/* Return a cell with this string, or an unknown cell for NULL. */
static inline struct flt_cell flt_cell_string(const char *string)
{
	return (struct flt_cell){ .type = string ? FLT_CELL_STRING : FLT_CELL_ABSENT,
				  .string = string };
}

static inline struct flt_cell flt_cell_u64(uint64_t value)
{
	return (struct flt_cell){ .type = FLT_CELL_U64, .u64 = value };
}

static inline struct flt_cell flt_cell_ns(uint64_t ns)
{
	return (struct flt_cell){ .type = FLT_CELL_NS, .u64 = ns };
}

static inline struct flt_cell flt_cell_double(double value, int decimals)
{
	return (struct flt_cell){ .type = FLT_CELL_DOUBLE, .decimals = decimals, .real = value };
}

static inline struct flt_cell flt_cell_bool(bool value)
{
	return (struct flt_cell){ .type = FLT_CELL_BOOL, .yes = value };
}

/* Return the value of a column in a row. known: see flt_table_row(). */
struct flt_cell flt_cell_read(const struct flt_column *column, const void *row, uint64_t known);

/* Allocate the text of a cell, or return NULL. Strings are not escaped. */
char *flt_cell_text(const struct flt_cell *cell);
/* Allocate the text of a cell with strings escaped for a terminal, or return NULL. */
char *flt_cell_escaped(const struct flt_cell *cell);
/* Add the field of CSV, without quotes around a string. Return -ENOMEM. */
int flt_cell_add(const struct flt_cell *cell, struct flt_buffer *out);
/* Write "key":value. Write nothing for an unknown value. */
void flt_cell_json(const struct flt_cell *cell, struct flt_json *json, const char *key);

#endif
