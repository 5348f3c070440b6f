/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.h - the columns of a table. Like an option (cli/opts.h), a column has a name, a type
 * and the offset of a member.
 *
 * A command declares a struct for its rows and one array of struct flt_column, and passes rows
 * to flt_table_row(). The array defines text, JSON and CSV:
 *
 *	struct row { uint32_t pid; const char *comm; uint64_t faults, ns; };
 *	#define AT(member) FLT_AT(struct row, member)
 *	static const struct flt_column columns[] = {
 *		{ "pid", "PID", 7, FLT_COLUMN_COUNT, AT(pid), .zero_unknown = true },
 *		{ "comm", "COMM", -15, FLT_COLUMN_STRING, AT(comm) },
 *		{ "faults_per_second", "FAULTS/s", 9, FLT_COLUMN_RATE, AT(faults),
 *		  .of = offsetof(struct row, ns), .decimals = 1 },
 *		{ 0 },
 *	};
 *
 * A column without a key is only in the text. A column without a title is only in JSON and CSV.
 * Two such columns can show the same member in different ways.
 */
#ifndef FLT_VIEW_COLUMN_H
#define FLT_VIEW_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The type of the member, and the format of its value. */
enum flt_column_type {
	FLT_COLUMN_END = 0,
	/* Unsigned members of 1, 2, 4 or 8 bytes. */
	FLT_COLUMN_COUNT,
	FLT_COLUMN_BYTES,	/* "1.50MiB" in the text, a number in data */
	FLT_COLUMN_NS,		/* "3.21us" in the text, nanoseconds in data */
	FLT_COLUMN_SECONDS,	/* nanoseconds, written as seconds "1.500" with .decimals */
	FLT_COLUMN_CLOCK,	/* ns since 1970; "23:59:59" with .decimals in the text */
	FLT_COLUMN_HEX,		/* 0xff00; a string in JSON */
	FLT_COLUMN_NAME,	/* the string that .name() returns for the value */
	FLT_COLUMN_RATE,	/* value per second; .of: a uint64_t with the ns; with .decimals */
	FLT_COLUMN_PERCENT,	/* value in percent of the uint64_t at .of; with .decimals */
	/* Other members. */
	FLT_COLUMN_SIGNED,	/* int32_t, int64_t */
	FLT_COLUMN_REAL,	/* double, with .decimals; null in JSON if not finite */
	FLT_COLUMN_BOOL,	/* "yes", "no" in the text */
	FLT_COLUMN_STRING,	/* const char * */
	FLT_COLUMN_CHARS,	/* char[] */
	FLT_COLUMN_LINES,	/* const char *, each line ended by LF: an array in JSON; */
				/* without a title, lines below the row of the text */
	FLT_COLUMN_CELL,	/* struct flt_cell, if the type differs between rows */
};

/* .decimals: one decimal below 100, else none. */
#define FLT_DECIMALS_SHORT (-1)

/*
 * An unknown value is "-" in the text, empty in CSV and left out in JSON. A value is unknown if
 *
 *   .known_if has no bit in common with the mask of the row,
 *   .needs has a bit that the mask of the row lacks,
 *   .zero_unknown is set and the value is 0 or "",
 *   the string is NULL, or
 *   the type is RATE or PERCENT, and the member at .of is 0.
 */
struct flt_column {
	const char *key;	/* JSON key and CSV heading; NULL: not in data */
	const char *title;	/* heading of the text; NULL: not in the text */
	int width;		/* minimum width in the text; negative: left-aligned */
	enum flt_column_type type;
	size_t offset, size;	/* of the member in the row, set by FLT_AT() */
	size_t of;		/* offset of the other member of RATE and PERCENT */
	int decimals;
	bool zero_unknown;
	/* Return the name of a value of NAME, or of an element of an array, or NULL. */
	const char *(*name)(uint32_t value);
	/*
	 * Number of elements if the member is an array, else 0. .size: size of an element. Each
	 * element is a column. Its key is .key, followed by the name of the element. The columns
	 * are only in JSON and CSV.
	 */
	size_t elements;
	/* The value is known if the mask of the row has one of these bits; 0: always known. */
	uint64_t known_if;
	/* The value is known if the mask of the row has all of these bits. */
	uint64_t needs;
	/*
	 * If a terminal is too narrow, leave the column out, 1 before 2, and do not shorten it; 0:
	 * keep it.
	 */
	unsigned int spare;
	/* The column exists if the mask of the table has one of these bits; 0: always. */
	uint64_t text_if, data_if;
};

/* Set .offset and .size of a column to a member of the row. */
#define FLT_AT(row, member) .offset = offsetof(row, member), .size = sizeof(((row *)0)->member)
/* Set .offset, .size and .elements of a column to an array in the row. */
#define FLT_AT_ARRAY(row, member)                                                              \
	.offset = offsetof(row, member), .size = sizeof(((row *)0)->member[0]),                \
	.elements = sizeof(((row *)0)->member) / sizeof(((row *)0)->member[0])

/* Return false if .known_if or .needs says that the value is unknown. known: the row's mask. */
static inline bool flt_column_known(const struct flt_column *c, uint64_t known)
{
	return (!c->known_if || c->known_if & known) && !(c->needs & ~known);
}

/* Return the unsigned member at the address. */
static inline uint64_t flt_column_unsigned(const struct flt_column *c, const void *at)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (c->size) {
	case sizeof(uint8_t):
		return *(const uint8_t *)at;
	case sizeof(u16):
		memcpy(&u16, at, sizeof(u16));
		return u16;
	case sizeof(u32):
		memcpy(&u32, at, sizeof(u32));
		return u32;
	default:
		memcpy(&u64, at, sizeof(u64));
		return u64;
	}
}

/* Return true if the text has this column. shown: the mask of the table. */
static inline bool flt_column_in_text(const struct flt_column *c, uint64_t shown)
{
	return c->title && !c->elements && (!c->text_if || c->text_if & shown);
}

#endif
