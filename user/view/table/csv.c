// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/table/csv.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "text/digits.h"
#include "view/table/cell.h"

/* Room for a number and the separator after it. */
#define NUMBER_ROOM (2 + FLT_DIGITS_MAX + 1)
/* Longer strings take the slow path. */
#define SHORT 48

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

/* Copy a short string that needs neither escapes nor quotes. */
static int add_string(struct flt_buffer *out, const char *string)
{
	struct flt_cell cell;
	char *to = flt_buffer_end(out, SHORT);
	size_t n;

	if (!to)
		return -ENOMEM;
	if (!string)
		return 0;
	for (n = 0; n < SHORT && plain[(unsigned char)string[n]]; n++)
		to[n] = string[n];
	if (n < SHORT && !string[n]) {
		out->used += n;
		return 0;
	}
	cell = flt_cell_string(string);
	return add_cell(out, &cell);
}

static int add_hex(struct flt_buffer *out, uint64_t value)
{
	char *to = flt_buffer_end(out, NUMBER_ROOM);

	if (!to)
		return -ENOMEM;
	memcpy(to, "0x", 2);
	out->used = (size_t)(flt_digits_hex(to + 2, value) - out->text);
	return 0;
}

static int add_number(struct flt_buffer *out, uint64_t value)
{
	char *to = flt_buffer_end(out, NUMBER_ROOM);

	if (!to)
		return -ENOMEM;
	out->used = (size_t)(flt_digits_decimal(to, value) - out->text);
	return 0;
}

/* Add the field of a column. The types that rows of every fault have do not need a cell. */
static inline int add_field(struct flt_buffer *out, const struct flt_column *c, const void *row,
			    uint64_t known)
{
	const void *at = (const char *)row + c->offset;
	struct flt_cell cell;
	const char *string;
	uint64_t value;

	switch (c->type) {
	case FLT_COLUMN_COUNT:
	case FLT_COLUMN_BYTES:
	case FLT_COLUMN_NS:
	case FLT_COLUMN_CLOCK:
		value = flt_column_unsigned(c, at);
		return c->zero_unknown && !value ? 0 : add_number(out, value);
	case FLT_COLUMN_HEX:
		value = flt_column_unsigned(c, at);
		return c->zero_unknown && !value ? 0 : add_hex(out, value);
	case FLT_COLUMN_NAME:
		value = flt_column_unsigned(c, at);
		return c->zero_unknown && !value ? 0 : add_string(out, c->name((uint32_t)value));
	case FLT_COLUMN_STRING:
		memcpy(&string, at, sizeof(string));
		return string ? add_string(out, string) : 0;
	case FLT_COLUMN_LINES:
		memcpy(&string, at, sizeof(string));
		if (!string)
			return 0;
		/* fall through */
	default:
		cell = flt_cell_read(c, row, known);
		return add_cell(out, &cell);
	}
}

static inline int end_field(struct flt_buffer *out, char separator)
{
	char *end = flt_buffer_end(out, 1);

	if (!end)
		return -ENOMEM;
	*end = separator;
	out->used++;
	return 0;
}

int flt_csv_heading(struct flt_buffer *out, const struct flt_column *columns, size_t count)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < count; i++) {
		ret = add_string(out, columns[i].key);
		if (!ret)
			ret = end_field(out, i + 1 < count ? ',' : '\n');
	}
	return ret;
}

int flt_csv_row(struct flt_buffer *out, const struct flt_column *columns, size_t count,
		const void *row, uint64_t known)
{
	const struct flt_column *c;
	int ret = 0;

	for (c = columns; !ret && c < columns + count; c++) {
		if (flt_column_known(c, known))
			ret = add_field(out, c, row, known);
		if (!ret)
			ret = end_field(out, ',');
	}
	if (!ret && count)
		out->text[out->used - 1] = '\n';
	return ret;
}
