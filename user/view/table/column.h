/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.h - a column of a table, defined like an option: by a name, a type and the
 * offset of a member.
 *
 * A command declares a struct for its rows and one array of struct flt_column, and
 * hands rows to flt_table_row(). Text, JSON and CSV follow from the array:
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
 * One fact can have two looks: a column without a key is only in the text, one without
 * a title only in JSON and CSV, and both can name the same member.
 */
#ifndef FLT_VIEW_COLUMN_H
#define FLT_VIEW_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the member is, and so how its value is written. */
enum flt_column_type {
	FLT_COLUMN_END = 0,
	/* Unsigned members of 1, 2, 4 or 8 bytes. */
	FLT_COLUMN_COUNT,
	FLT_COLUMN_BYTES,	/* "1.50MiB" in the text, a number in data */
	FLT_COLUMN_NS,		/* "3.21us" in the text, nanoseconds in data */
	FLT_COLUMN_SECONDS,	/* of nanoseconds: 1.500, with .decimals */
	FLT_COLUMN_CLOCK,	/* ns since 1970; as text 23:59:59 with .decimals */
	FLT_COLUMN_HEX,		/* 0xff00; a string in JSON */
	FLT_COLUMN_NAME,	/* what .name() calls it */
	FLT_COLUMN_RATE,	/* per second of the uint64_t nanoseconds at .of; with .decimals */
	FLT_COLUMN_PERCENT,	/* of the uint64_t at .of; with .decimals */
	/* Other members. */
	FLT_COLUMN_SIGNED,	/* int32_t, int64_t */
	FLT_COLUMN_REAL,	/* double, with .decimals; null in JSON if not finite */
	FLT_COLUMN_BOOL,	/* "yes", "no" in the text */
	FLT_COLUMN_STRING,	/* const char * */
	FLT_COLUMN_CHARS,	/* char[] */
	FLT_COLUMN_LINES,	/* const char *, each line ended by LF: an array in JSON; */
				/* without a title, lines below the row of the text */
	FLT_COLUMN_CELL,	/* struct flt_cell, where each row has a type of its own */
};

/* .decimals of a rate that needs three digits: one decimal below 100, none from there on. */
#define FLT_DECIMALS_SHORT (-1)

/*
 * A cell without a value is unknown: "-" in the text, empty in CSV, left out in JSON. That
 * is so for a column whose .known_if has no bit in common with the row's mask, for 0 and
 * "" where .zero_unknown is set, for NULL strings, and for RATE and PERCENT of nothing.
 */
struct flt_column {
	const char *key;	/* JSON key and CSV heading; NULL: not in data */
	const char *title;	/* heading of the text; NULL: not in the text */
	int width;		/* least width in the text; negative: flush left */
	enum flt_column_type type;
	size_t offset, size;	/* of the member in the row: FLT_AT() */
	size_t of;		/* offset of the other member of RATE and PERCENT */
	int decimals;
	bool zero_unknown;
	/* The name of a value of NAME, or of an element of an array. May return NULL. */
	const char *(*name)(uint32_t value);
	/*
	 * The member is an array with that many elements of .size: a column for each, whose
	 * key is .key and behind it the element's name. Only in data.
	 */
	size_t elements;
	/* Bits, of which one must be set in the row's mask; 0: always known. */
	uint64_t known_if;
	/* Likewise in the mask of the table, for the column to be there at all. */
	uint64_t text_if, data_if;
};

/* The member of a row that a column shows. */
#define FLT_AT(row, member) .offset = offsetof(row, member), .size = sizeof(((row *)0)->member)
/* The same for an array: of its first element. */
#define FLT_AT_ARRAY(row, member)                                                              \
	.offset = offsetof(row, member), .size = sizeof(((row *)0)->member[0]),                \
	.elements = sizeof(((row *)0)->member) / sizeof(((row *)0)->member[0])

/* Return whether the text has this column in its lines; shown: the mask of the table. */
static inline bool flt_column_in_text(const struct flt_column *c, uint64_t shown)
{
	return c->title && !c->elements && (!c->text_if || c->text_if & shown);
}

#endif
