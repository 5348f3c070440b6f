// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/table/cell.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/clock.h"
#include "text/digits.h"
#include "text/escape.h"
#include "text/units.h"

static int64_t read_signed(const struct flt_column *c, const void *at)
{
	uint64_t value = flt_column_unsigned(c, at);

	return c->size == sizeof(int32_t) ? (int32_t)value : (int64_t)value;
}

static double read_real(const void *at)
{
	double value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static const char *read_pointer(const void *at)
{
	const char *value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static struct flt_cell cell_of_real(double value, int decimals)
{
	if (decimals == FLT_DECIMALS_SHORT)
		decimals = value < 100 ? 1 : 0;
	return flt_cell_double(value, decimals);
}

/* Return units * part / whole. units: 1e9 for a rate per second of nanoseconds, 100 for percent. */
static struct flt_cell cell_of_share(const struct flt_column *c, const void *row, uint64_t part,
				     double units)
{
	uint64_t whole;

	memcpy(&whole, (const char *)row + c->of, sizeof(whole));
	if (!whole)
		return (struct flt_cell){ .type = FLT_CELL_ABSENT };
	return cell_of_real(units * (double)part / (double)whole, c->decimals);
}

static struct flt_cell read_number(const struct flt_column *c, const void *row, const void *at)
{
	uint64_t value = flt_column_unsigned(c, at);

	switch (c->type) {
	case FLT_COLUMN_BYTES:
		return (struct flt_cell){ .type = FLT_CELL_SIZE, .u64 = value };
	case FLT_COLUMN_NS:
		return flt_cell_ns(value);
	case FLT_COLUMN_SECONDS:
		return cell_of_real((double)value / 1e9, c->decimals);
	case FLT_COLUMN_CLOCK:
		return (struct flt_cell){ .type = FLT_CELL_CLOCK, .decimals = c->decimals,
					  .u64 = value };
	case FLT_COLUMN_HEX:
		return (struct flt_cell){ .type = FLT_CELL_HEX, .u64 = value };
	case FLT_COLUMN_NAME:
		return flt_cell_string(c->name((uint32_t)value));
	case FLT_COLUMN_RATE:
		return cell_of_share(c, row, value, 1e9);
	case FLT_COLUMN_PERCENT:
		return cell_of_share(c, row, value, 100);
	default:
		return flt_cell_u64(value);
	}
}

static struct flt_cell read_member(const struct flt_column *c, const void *row, const void *at)
{
	struct flt_cell cell;

	switch (c->type) {
	case FLT_COLUMN_SIGNED:
		return (struct flt_cell){ .type = FLT_CELL_I64, .i64 = read_signed(c, at) };
	case FLT_COLUMN_REAL:
		return cell_of_real(read_real(at), c->decimals);
	case FLT_COLUMN_BOOL:
		return flt_cell_bool(*(const bool *)at);
	case FLT_COLUMN_STRING:
		return flt_cell_string(read_pointer(at));
	case FLT_COLUMN_CHARS:
		return flt_cell_string(at);
	case FLT_COLUMN_LINES:
		cell = flt_cell_string(read_pointer(at));
		cell.type = cell.string ? FLT_CELL_LINES : FLT_CELL_ABSENT;
		return cell;
	case FLT_COLUMN_CELL:
		return *(const struct flt_cell *)at;
	default:
		return read_number(c, row, at);
	}
}

/* Return true if the member is 0 or "". For a rate or a percentage, this is its numerator. */
static bool is_zero(const struct flt_column *c, const void *at, const struct flt_cell *cell)
{
	if (cell->type == FLT_CELL_STRING && c->type != FLT_COLUMN_NAME)
		return !*cell->string;
	if (c->type == FLT_COLUMN_REAL)
		return cell->real == 0;
	return !flt_column_unsigned(c, at);
}

struct flt_cell flt_cell_read(const struct flt_column *c, const void *row, uint64_t known)
{
	const void *at = (const char *)row + c->offset;
	struct flt_cell cell = { .type = FLT_CELL_ABSENT };

	if (!flt_column_known(c, known))
		return cell;
	cell = read_member(c, row, at);
	if (c->zero_unknown && cell.type != FLT_CELL_ABSENT && is_zero(c, at, &cell))
		cell.type = FLT_CELL_ABSENT;
	return cell;
}

/* Copy a string up to the first byte that is not printable ASCII or is to be escaped. */
static size_t copy_plain(char *to, const char *from, size_t length)
{
	size_t n;

	for (n = 0; n < length && from[n] >= ' ' && from[n] <= '~' && from[n] != '\\'; n++)
		to[n] = from[n];
	return n;
}

static int add_string(struct flt_buffer *out, const char *string, size_t length)
{
	char *to = flt_buffer_end(out, length * FLT_ESCAPE_GROWTH + 1);
	size_t plain;

	if (!to)
		return -ENOMEM;
	plain = copy_plain(to, string, length);
	out->used += plain;
	if (plain < length)
		out->used += flt_escape_text(to + plain, (length - plain) * FLT_ESCAPE_GROWTH + 1,
					     string + plain, length - plain);
	return 0;
}

/* Escape each line separately, because the line feeds between lines stay. */
static int add_lines(struct flt_buffer *out, const char *lines)
{
	size_t length;
	char *to;

	for (; *lines; lines += length + (lines[length] == '\n')) {
		length = strcspn(lines, "\n");
		if (add_string(out, lines, length))
			return -ENOMEM;
		to = flt_buffer_end(out, 1);
		if (!to)
			return -ENOMEM;
		*to = '\n';
		out->used++;
	}
	return 0;
}

/* Longest double: 309 digits, a sign, a point, and at most nine decimals. */
#define DOUBLE_ROOM 328

static int add_double(struct flt_buffer *out, const struct flt_cell *cell)
{
	char *to = flt_buffer_end(out, DOUBLE_ROOM);

	if (!to)
		return -ENOMEM;
	if (isfinite(cell->real))
		out->used += (size_t)snprintf(to, DOUBLE_ROOM, "%.*f", cell->decimals, cell->real);
	return 0;
}

static char *write_number(char *to, const struct flt_cell *cell)
{
	switch (cell->type) {
	case FLT_CELL_I64:
		if (cell->i64 >= 0)
			return flt_digits_decimal(to, cell->u64);
		*to = '-';
		return flt_digits_decimal(to + 1, -cell->u64);
	case FLT_CELL_HEX:
		memcpy(to, "0x", 2);
		return flt_digits_hex(to + 2, cell->u64);
	default:
		return flt_digits_decimal(to, cell->u64);
	}
}

int flt_cell_add(const struct flt_cell *cell, struct flt_buffer *out)
{
	char *to;

	switch (cell->type) {
	case FLT_CELL_ABSENT:
		return 0;
	case FLT_CELL_STRING:
		return add_string(out, cell->string, strlen(cell->string));
	case FLT_CELL_LINES:
		return add_lines(out, cell->string);
	case FLT_CELL_BOOL:
		return add_string(out, cell->yes ? "true" : "false", cell->yes ? 4 : 5);
	case FLT_CELL_DOUBLE:
		return add_double(out, cell);
	default:
		to = flt_buffer_end(out, 2 + FLT_DIGITS_MAX);
		if (!to)
			return -ENOMEM;
		out->used = (size_t)(write_number(to, cell) - out->text);
		return 0;
	}
}

/* Return the text of flt_cell_add() as a string. */
static char *data_string(const struct flt_cell *cell)
{
	struct flt_buffer text = { 0 };
	char *end;

	if (!flt_cell_add(cell, &text)) {
		end = flt_buffer_end(&text, 1);
		if (end) {
			*end = 0;
			return text.text;
		}
	}
	flt_buffer_free(&text);
	return NULL;
}

/* The text differs from data for values with a unit and for unknown values. */
char *flt_cell_escaped(const struct flt_cell *cell)
{
	char unit[FLT_UNITS_TEXT], clock[FLT_CLOCK_TEXT];

	switch (cell->type) {
	case FLT_CELL_ABSENT:
		return strdup("-");
	case FLT_CELL_BOOL:
		return strdup(cell->yes ? "yes" : "no");
	case FLT_CELL_NS:
		return strdup(flt_units_write_ns(unit, cell->u64));
	case FLT_CELL_SIZE:
		return strdup(flt_units_write_size(unit, cell->u64));
	case FLT_CELL_CLOCK:
		return strdup(flt_clock_write(clock, cell->u64, cell->decimals));
	case FLT_CELL_DOUBLE:
		if (!isfinite(cell->real))
			return strdup("-");
		return data_string(cell);
	default:
		return data_string(cell);
	}
}

char *flt_cell_text(const struct flt_cell *cell)
{
	return cell->type == FLT_CELL_STRING ? strdup(cell->string) : flt_cell_escaped(cell);
}

static void lines_json(struct flt_json *json, const char *key, const char *lines)
{
	size_t length;

	flt_json_open_array(json, key);
	for (; *lines; lines += length + (lines[length] == '\n')) {
		length = strcspn(lines, "\n");
		flt_json_bytes(json, NULL, lines, length);
	}
	flt_json_close_array(json);
}

void flt_cell_json(const struct flt_cell *cell, struct flt_json *json, const char *key)
{
	char hex[24];

	switch (cell->type) {
	case FLT_CELL_ABSENT:
		break;
	case FLT_CELL_STRING:
		flt_json_string(json, key, cell->string);
		break;
	case FLT_CELL_LINES:
		lines_json(json, key, cell->string);
		break;
	case FLT_CELL_I64:
		flt_json_i64(json, key, cell->i64);
		break;
	case FLT_CELL_DOUBLE:
		flt_json_double(json, key, cell->real, cell->decimals);
		break;
	case FLT_CELL_BOOL:
		flt_json_bool(json, key, cell->yes);
		break;
	case FLT_CELL_HEX:
		snprintf(hex, sizeof(hex), "0x%" PRIx64, cell->u64);
		flt_json_string(json, key, hex);
		break;
	case FLT_CELL_U64:
	case FLT_CELL_NS:
	case FLT_CELL_SIZE:
	case FLT_CELL_CLOCK:
		flt_json_u64(json, key, cell->u64);
		break;
	}
}
