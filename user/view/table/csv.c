// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/table/csv.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "text/buffer.h"
#include "text/digits.h"
#include "view/table/cell.h"

/* A short string. Longer strings take the slow path. */
#define SHORT 48
/* Room for a number or a short string, and the separator after it. */
#define FIELD_ROOM (SHORT + 1)
/* Rows often repeat the name of the row before, if it is as short as this. */
#define NAME_ROOM 16

/* What to do for a column. */
struct step {
	enum step_type {
		STEP_NOTHING = 0,	/* the value is unknown */
		STEP_U32,
		STEP_U64,
		STEP_SMALL,		/* a number of another size */
		STEP_HEX,
		STEP_NAME,
		STEP_STRING,
		STEP_LINES,
		STEP_CELL,		/* any other type */
	} type, known_type;		/* for the rows at hand; if the value is known */
	bool zero_unknown;
	uint32_t offset;		/* of the member in the row */
	const struct flt_column *column;
	/* STEP_NAME: a value, and its field of length bytes. 0: none yet. */
	uint64_t value;
	size_t length;
	char field[NAME_ROOM];
};

struct flt_csv {
	FILE *out;
	size_t count;
	size_t batch;			/* bytes of lines that are collected */
	bool headed;
	uint64_t known;			/* of the rows at hand */
	struct flt_buffer lines;
	struct step steps[];		/* one per column */
};

/* Put the field from start to the end of the line into quotes, if it needs them. */
static int quote(struct flt_buffer *out, size_t start)
{
	size_t length = out->used - start, i;
	char *field, *to, c;

	if (!flt_buffer_end(out, length + 2))
		return -ENOMEM;
	field = out->text + start;
	for (i = 0; i < length; i++)
		if (field[i] == ',' || field[i] == '"' || field[i] == '\r' || field[i] == '\n')
			break;
	if (i == length)
		return 0;
	for (i = 0; i < length; i++)
		out->used += field[i] == '"';
	out->used += 2;
	/* From the end, because the field becomes longer. */
	to = out->text + out->used;
	*--to = '"';
	while (length) {
		c = field[--length];
		*--to = c;
		if (c == '"')
			*--to = c;
	}
	*--to = '"';
	return 0;
}

static int add_cell(struct flt_buffer *out, const struct flt_cell *cell)
{
	size_t start = out->used;
	int ret = flt_cell_add(cell, out);

	if (!ret && (cell->type == FLT_CELL_STRING || cell->type == FLT_CELL_LINES))
		ret = quote(out, start);
	return ret;
}

/* The characters that need neither escapes nor quotes. */
static const bool plain[UCHAR_MAX + 1] = {
	[' ' ... '!'] = true, ['#' ... '+'] = true, ['-' ... '['] = true, [']' ... '~'] = true,
};

/*
 * The functions below write a field at to, which has room for the given number of short fields.
 * They return the end of the field, with room for its separator and for the other fields, or NULL
 * without memory.
 */

/* Write a field of any length. */
static char *write_cell(struct flt_buffer *out, char *to, size_t fields,
			const struct flt_cell *cell)
{
	out->used = (size_t)(to - out->text);
	return add_cell(out, cell) ? NULL : flt_buffer_end(out, fields * FIELD_ROOM);
}

/* Copy a string. One that is short and needs neither escapes nor quotes is copied quickly. */
static inline char *write_string(struct flt_buffer *out, char *to, size_t fields,
				 const char *string)
{
	struct flt_cell cell;
	size_t n;

	if (!string)
		return to;
	for (n = 0; n < SHORT && plain[(unsigned char)string[n]]; n++)
		to[n] = string[n];
	if (n < SHORT && !string[n])
		return to + n;
	cell = flt_cell_string(string);
	return write_cell(out, to, fields, &cell);
}

static inline char *write_decimal(char *to, const struct step *s, uint64_t value)
{
	return s->zero_unknown && !value ? to : flt_digits_decimal(to, value);
}

static inline char *write_hex(char *to, const struct step *s, uint64_t value)
{
	if (s->zero_unknown && !value)
		return to;
	memcpy(to, "0x", 2);
	return flt_digits_hex(to + 2, value);
}

static char *write_new_name(struct flt_buffer *out, char *to, size_t fields, struct step *s,
			    uint64_t value)
{
	size_t start = (size_t)(to - out->text);

	to = write_string(out, to, fields, s->column->name((uint32_t)value));
	s->length = to ? (size_t)(to - out->text) - start : 0;
	if (s->length > NAME_ROOM)
		s->length = 0;
	memcpy(s->field, out->text + start, s->length);
	s->value = value;
	return to;
}

static inline char *write_name(struct flt_buffer *out, char *to, size_t fields, struct step *s,
			       uint64_t value)
{
	if (s->zero_unknown && !value)
		return to;
	if (!s->length || s->value != value)
		return write_new_name(out, to, fields, s, value);
	memcpy(to, s->field, NAME_ROOM);
	return to + s->length;
}

static inline char *write_field(struct flt_buffer *out, char *to, size_t fields,
				struct step *s, const void *row, uint64_t known)
{
	const void *at = (const char *)row + s->offset;
	struct flt_cell cell;
	const char *string;
	uint64_t u64;
	uint32_t u32;

	switch (s->type) {
	case STEP_NOTHING:
		return to;
	case STEP_U32:
		memcpy(&u32, at, sizeof(u32));
		return write_decimal(to, s, u32);
	case STEP_U64:
		memcpy(&u64, at, sizeof(u64));
		return write_decimal(to, s, u64);
	case STEP_SMALL:
		return write_decimal(to, s, flt_column_unsigned(s->column, at));
	case STEP_HEX:
		return write_hex(to, s, flt_column_unsigned(s->column, at));
	case STEP_NAME:
		return write_name(out, to, fields, s, flt_column_unsigned(s->column, at));
	case STEP_STRING:
		memcpy(&string, at, sizeof(string));
		return write_string(out, to, fields, string);
	case STEP_LINES:
		memcpy(&string, at, sizeof(string));
		if (!string)
			return to;
		break;
	case STEP_CELL:
		break;
	}
	cell = flt_cell_read(s->column, row, known);
	return write_cell(out, to, fields, &cell);
}

static enum step_type step_type_of(const struct flt_column *c)
{
	switch (c->type) {
	case FLT_COLUMN_COUNT:
	case FLT_COLUMN_BYTES:
	case FLT_COLUMN_NS:
	case FLT_COLUMN_CLOCK:
		if (c->size == sizeof(uint64_t))
			return STEP_U64;
		return c->size == sizeof(uint32_t) ? STEP_U32 : STEP_SMALL;
	case FLT_COLUMN_HEX:
		return STEP_HEX;
	case FLT_COLUMN_NAME:
		return STEP_NAME;
	case FLT_COLUMN_STRING:
		/* flt_cell_read() knows which strings are unknown. */
		return c->zero_unknown ? STEP_CELL : STEP_STRING;
	case FLT_COLUMN_LINES:
		return STEP_LINES;
	default:
		return STEP_CELL;
	}
}

/* Prepare the steps for rows with these known values. */
static void set_known(struct flt_csv *csv, uint64_t known)
{
	struct step *s;

	for (s = csv->steps; s < csv->steps + csv->count; s++)
		s->type = flt_column_known(s->column, known) ? s->known_type : STEP_NOTHING;
	csv->known = known;
}

/* End a line, whose last field ends at to with a separator. NULL: there is no memory. */
static int end_line(struct flt_buffer *out, char *to)
{
	if (!to)
		return -ENOMEM;
	to[-1] = '\n';
	out->used = (size_t)(to - out->text);
	return 0;
}

static int add_heading(struct flt_csv *csv)
{
	char *to = flt_buffer_end(&csv->lines, csv->count * FIELD_ROOM);
	size_t i;

	for (i = 0; to && i < csv->count; i++) {
		to = write_string(&csv->lines, to, csv->count - i, csv->steps[i].column->key);
		if (to)
			*to++ = ',';
	}
	csv->headed = true;
	return end_line(&csv->lines, to);
}

/*
 * Write the first bytes of the collected lines. Lines that fit into the buffer of the FILE are one
 * write, so that they are not mixed with the output of other processes.
 */
static void write_lines(struct flt_csv *csv, size_t bytes)
{
	struct flt_buffer *lines = &csv->lines;

	fwrite_unlocked(lines->text, 1, bytes, csv->out);
	fflush_unlocked(csv->out);
	/* The buffer exists since the first write. */
	csv->batch = __fbufsize(csv->out);
	lines->used -= bytes;
	memmove(lines->text, lines->text + bytes, lines->used);
}

int flt_csv_row(struct flt_csv *csv, const void *row, uint64_t known)
{
	struct flt_buffer *lines = &csv->lines;
	struct step *s, *end = csv->steps + csv->count;
	size_t start;
	char *to;
	int ret;

	if (!csv->headed && add_heading(csv))
		return -ENOMEM;
	if (csv->known != known)
		set_known(csv, known);
	start = lines->used;
	to = flt_buffer_end(lines, csv->count * FIELD_ROOM);
	for (s = csv->steps; to && s < end; s++) {
		to = write_field(lines, to, (size_t)(end - s), s, row, known);
		if (to)
			*to++ = ',';
	}
	ret = end_line(lines, to);
	if (ret)
		lines->used = start;
	else if (lines->used > csv->batch)
		write_lines(csv, start ? start : lines->used);
	return ret;
}

int flt_csv_flush(struct flt_csv *csv)
{
	if (!csv->headed && add_heading(csv))
		return -ENOMEM;
	write_lines(csv, csv->lines.used);
	return 0;
}

int flt_csv_new(struct flt_csv **csv, FILE *out, const struct flt_column *columns, size_t count)
{
	struct flt_csv *c = calloc(1, sizeof(*c) + count * sizeof(c->steps[0]));
	size_t i;

	if (!c)
		return -ENOMEM;
	c->out = out;
	c->count = count;
	for (i = 0; i < count; i++)
		c->steps[i] = (struct step){
			.known_type = step_type_of(&columns[i]),
			.zero_unknown = columns[i].zero_unknown,
			.offset = (uint32_t)columns[i].offset, .column = &columns[i],
		};
	set_known(c, 0);
	*csv = c;
	return 0;
}

void flt_csv_free(struct flt_csv *csv)
{
	if (!csv)
		return;
	flt_buffer_free(&csv->lines);
	free(csv);
}
