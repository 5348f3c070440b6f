// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/table/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "text/units.h"
#include "text/escape.h"
#include "view/table/json.h"

struct flt_table {
	FILE *out;
	enum flt_format format;
	const struct flt_column *columns;
	size_t count;
	size_t *widths;		/* of the text so far */
	char **held;		/* rows * count strings */
	size_t rows;
	bool csv_headed;
};

int flt_table_new(struct flt_table **table, FILE *out, enum flt_format format,
		  const struct flt_column *columns, size_t count)
{
	struct flt_table *t = calloc(1, sizeof(*t));
	size_t i, least, title;

	if (!t)
		return -ENOMEM;
	*t = (struct flt_table){ .out = out, .format = format, .columns = columns, .count = count };
	t->widths = calloc(count, sizeof(*t->widths));
	if (!t->widths) {
		free(t);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++) {
		least = (size_t)abs(columns[i].width);
		title = columns[i].title ? strlen(columns[i].title) : 0;
		t->widths[i] = title > least ? title : least;
	}
	*table = t;
	return 0;
}

/* Each line escaped by itself: what ends it is ours. */
static char *render_lines(const char *lines)
{
	size_t room = strlen(lines) * FLT_ESCAPE_GROWTH + 1, length, used = 0;
	char *out = malloc(room);

	if (!out)
		return NULL;
	for (; *lines; lines += length + (lines[length] == '\n')) {
		length = strcspn(lines, "\n");
		flt_escape_text(out + used, room - used, lines, length);
		used += strlen(out + used);
		out[used++] = '\n';
	}
	out[used] = 0;
	return out;
}

static void write_lines_json(struct flt_json *json, const char *key, const char *lines)
{
	size_t length;

	flt_json_open_array(json, key);
	for (; *lines; lines += length + (lines[length] == '\n')) {
		length = strcspn(lines, "\n");
		flt_json_bytes(json, NULL, lines, length);
	}
	flt_json_close_array(json);
}

/*
 * What a command writes to the same file lands between rows, not within one, as long
 * as no row is larger than half of the stream's buffer.
 */
static void end_row(struct flt_table *t)
{
	if (__fpending(t->out) > __fbufsize(t->out) / 2)
		fflush(t->out);
}

/* The plain form of a cell, as a string to be released, or NULL for no memory. */
static char *render(const struct flt_cell *cell, bool text)
{
	char unit[FLT_UNITS_TEXT], *out = NULL;
	size_t length;
	int n;

	switch (cell->type) {
	case FLT_CELL_ABSENT:
		return strdup(text ? "-" : "");
	case FLT_CELL_STRING:
		length = strlen(cell->string);
		out = malloc(length * FLT_ESCAPE_GROWTH + 1);
		if (out)
			flt_escape_text(out, length * FLT_ESCAPE_GROWTH + 1, cell->string, length);
		return out;
	case FLT_CELL_LINES:
		return render_lines(cell->string);
	case FLT_CELL_BOOL:
		return strdup(text ? (cell->yes ? "yes" : "no") : (cell->yes ? "true" : "false"));
	case FLT_CELL_NS:
		if (text)
			return strdup(flt_units_write_ns(unit, cell->u64));
		n = asprintf(&out, "%" PRIu64, cell->u64);
		break;
	case FLT_CELL_SIZE:
		if (text)
			return strdup(flt_units_write_size(unit, cell->u64));
		n = asprintf(&out, "%" PRIu64, cell->u64);
		break;
	case FLT_CELL_I64:
		n = asprintf(&out, "%" PRId64, cell->i64);
		break;
	case FLT_CELL_DOUBLE:
		if (!isfinite(cell->real))
			return strdup(text ? "-" : "");
		n = asprintf(&out, "%.*f", cell->decimals, cell->real);
		break;
	case FLT_CELL_HEX:
		n = asprintf(&out, "0x%" PRIx64, cell->u64);
		break;
	case FLT_CELL_U64:
	default:
		n = asprintf(&out, "%" PRIu64, cell->u64);
		break;
	}
	return n < 0 ? NULL : out;
}

char *flt_cell_text(const struct flt_cell *cell)
{
	return cell->type == FLT_CELL_STRING ? strdup(cell->string) : render(cell, true);
}

static int hold_row(struct flt_table *t, const struct flt_cell *cells)
{
	char **grown, **row;
	size_t i, width;

	grown = reallocarray(t->held, (t->rows + 1) * t->count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->held = grown;
	row = grown + t->rows * t->count;
	for (i = 0; i < t->count; i++) {
		row[i] = render(&cells[i], true);
		if (!row[i]) {
			while (i--)
				free(row[i]);
			return -ENOMEM;
		}
		width = flt_escape_columns(row[i]);
		if (t->columns[i].title && width > t->widths[i])
			t->widths[i] = width;
	}
	t->rows++;
	return 0;
}

static void write_json(struct flt_table *t, const struct flt_cell *cells)
{
	struct flt_json json;
	char hex[24];
	size_t i;

	flt_json_init(&json, t->out);
	flt_json_open_object(&json, NULL);
	for (i = 0; i < t->count; i++) {
		const char *key = t->columns[i].key;

		if (t->columns[i].data_absent)
			continue;
		switch (cells[i].type) {
		case FLT_CELL_ABSENT:
			break;
		case FLT_CELL_STRING:
			flt_json_string(&json, key, cells[i].string);
			break;
		case FLT_CELL_LINES:
			write_lines_json(&json, key, cells[i].string);
			break;
		case FLT_CELL_I64:
			flt_json_i64(&json, key, cells[i].i64);
			break;
		case FLT_CELL_DOUBLE:
			flt_json_double(&json, key, cells[i].real, cells[i].decimals);
			break;
		case FLT_CELL_BOOL:
			flt_json_bool(&json, key, cells[i].yes);
			break;
		case FLT_CELL_HEX:
			snprintf(hex, sizeof(hex), "0x%" PRIx64, cells[i].u64);
			flt_json_string(&json, key, hex);
			break;
		case FLT_CELL_U64:
		case FLT_CELL_NS:
		case FLT_CELL_SIZE:
			flt_json_u64(&json, key, cells[i].u64);
			break;
		}
	}
	flt_json_close_object(&json);
	flt_json_end_line(&json);
	end_row(t);
}

static void write_csv_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static int write_csv(struct flt_table *t, const struct flt_cell *cells)
{
	bool first = true;
	char *text;
	size_t i;

	for (i = 0; i < t->count; i++) {
		if (t->columns[i].data_absent)
			continue;
		if (!first)
			putc(',', t->out);
		first = false;
		if (!cells) {
			write_csv_field(t->out, t->columns[i].key);
			continue;
		}
		text = render(&cells[i], false);
		if (!text)
			return -ENOMEM;
		write_csv_field(t->out, text);
		free(text);
	}
	putc('\n', t->out);
	end_row(t);
	return 0;
}

int flt_table_row(struct flt_table *t, const struct flt_cell *cells)
{
	switch (t->format) {
	case FLT_FORMAT_JSON:
		write_json(t, cells);
		return 0;
	case FLT_FORMAT_CSV:
		if (!t->csv_headed)
			write_csv(t, NULL);
		t->csv_headed = true;
		return write_csv(t, cells);
	case FLT_FORMAT_TEXT:
	default:
		return hold_row(t, cells);
	}
}

/* row NULL: the heading. No blanks at the end of a line. */
static void write_line(struct flt_table *t, char **row)
{
	size_t i, k, pad, owed = 0;
	const char *text;
	bool first = true;

	for (i = 0; i < t->count; i++) {
		if (!t->columns[i].title)
			continue;
		text = row ? row[i] : t->columns[i].title;
		pad = t->widths[i] - flt_escape_columns(text);
		if (!first)
			owed += 2;
		first = false;
		if (t->columns[i].width >= 0) {
			owed += pad;
			pad = 0;
		}
		for (k = 0; k < owed; k++)
			putc(' ', t->out);
		fputs(text, t->out);
		owed = pad;
	}
	putc('\n', t->out);
}

/* Only lists have line feeds: in other cells they are escaped. */
static void write_below(struct flt_table *t, char **row)
{
	const char *line;
	size_t i, length;

	for (i = 0; i < t->count; i++) {
		if (t->columns[i].title || !strchr(row[i], '\n'))
			continue;
		for (line = row[i]; *line; line += length + 1) {
			length = strcspn(line, "\n");
			fprintf(t->out, "    %.*s\n", (int)length, line);
		}
	}
}

void flt_table_flush(struct flt_table *t, bool headed)
{
	size_t i;

	if (t->format == FLT_FORMAT_TEXT && (t->rows || headed)) {
		if (headed) {
			write_line(t, NULL);
			end_row(t);
		}
		for (i = 0; i < t->rows; i++) {
			write_line(t, t->held + i * t->count);
			write_below(t, t->held + i * t->count);
			end_row(t);
		}
		for (i = 0; i < t->rows * t->count; i++)
			free(t->held[i]);
		t->rows = 0;
	}
	if (t->format == FLT_FORMAT_CSV && !t->csv_headed) {
		write_csv(t, NULL);
		t->csv_headed = true;
	}
	fflush(t->out);
}

void flt_table_free(struct flt_table *t)
{
	if (!t)
		return;
	flt_table_flush(t, false);
	free(t->held);
	free(t->widths);
	free(t);
}
