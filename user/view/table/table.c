// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/table/table.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "text/escape.h"
#include "text/terminal.h"
#include "view/table/cell.h"
#include "view/table/csv.h"
#include "view/table/fit.h"

#define INDENT 4	/* of lines below a row */

struct flt_table {
	FILE *out;
	enum flt_format format;
	struct flt_column *columns;	/* an array of the command is one column per element */
	char **own_keys;	/* allocated key of an element of an array, one per column */
	struct flt_fit *fits;	/* one per column */
	size_t count;
	size_t room, gap;	/* columns of a line of text, between columns */
	bool headed, told;	/* a heading, and a note on columns left out, was written */
	struct flt_cell *cells;	/* of one row */
	char **held;		/* rows * count strings */
	size_t rows;
	struct flt_csv *csv;	/* NULL: another format */
};

static bool is_shown(const struct flt_column *c, enum flt_format format, uint64_t shown)
{
	if (format != FLT_FORMAT_TEXT)
		return c->key && (!c->data_if || c->data_if & shown);
	return c->type == FLT_COLUMN_LINES || flt_column_in_text(c, shown);
}

static void add_column(struct flt_table *t, const struct flt_column *column)
{
	t->fits[t->count].content = column->title ? strlen(column->title) : 0;
	t->columns[t->count++] = *column;
}

static int add_elements(struct flt_table *t, const struct flt_column *array)
{
	struct flt_column one = *array;
	uint32_t i;
	char *key;

	for (i = 0; i < array->elements; i++) {
		if (asprintf(&key, "%s%s", array->key, array->name(i)) < 0)
			return -ENOMEM;
		one.key = key;
		one.offset = array->offset + i * array->size;
		add_column(t, &one);
		t->own_keys[t->count - 1] = key;
	}
	return 0;
}

static void free_table(struct flt_table *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		free(t->own_keys[i]);
	free(t->own_keys);
	free(t->fits);
	free(t->columns);
	free(t->cells);
	free(t->held);
	flt_csv_free(t->csv);
	free(t);
}

int flt_table_new(struct flt_table **table, FILE *out, const struct flt_table_style *style,
		  const struct flt_column *columns, uint64_t shown)
{
	struct flt_table *t = calloc(1, sizeof(*t));
	const struct flt_column *c;
	size_t room = 1;
	int ret;

	if (!t)
		return -ENOMEM;
	for (c = columns; c->type != FLT_COLUMN_END; c++)
		room += c->elements ? c->elements : 1;
	*t = (struct flt_table){ .out = out, .format = (enum flt_format)style->format, .gap = 2 };
	flt_table_fit(t, style->wide ? 0 : flt_terminal_room(out));
	t->own_keys = calloc(room, sizeof(*t->own_keys));
	t->fits = calloc(room, sizeof(*t->fits));
	t->columns = calloc(room, sizeof(*t->columns));
	t->cells = calloc(room, sizeof(*t->cells));
	ret = t->own_keys && t->fits && t->columns && t->cells ? 0 : -ENOMEM;
	for (c = columns; !ret && c->type != FLT_COLUMN_END; c++) {
		if (!is_shown(c, t->format, shown))
			continue;
		if (c->elements)
			ret = add_elements(t, c);
		else
			add_column(t, c);
	}
	if (!ret && t->format == FLT_FORMAT_CSV)
		ret = flt_csv_new(&t->csv, out, t->columns, t->count);
	if (ret)
		free_table(t);
	else
		*table = t;
	return ret;
}

/*
 * Flush between rows if the buffer is half full, so that a flush within a row does not mix the
 * row with the output of other processes.
 */
static void end_row(struct flt_table *t)
{
	if (__fpending(t->out) > __fbufsize(t->out) / 2)
		fflush(t->out);
}

static int hold_row(struct flt_table *t)
{
	char **grown, **row;
	size_t i, width;

	grown = reallocarray(t->held, (t->rows + 1) * t->count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->held = grown;
	row = grown + t->rows * t->count;
	for (i = 0; i < t->count; i++) {
		row[i] = flt_cell_escaped(&t->cells[i]);
		if (!row[i]) {
			while (i--)
				free(row[i]);
			return -ENOMEM;
		}
		width = flt_escape_columns(row[i]);
		if (t->columns[i].title && width > t->fits[i].content)
			t->fits[i].content = width;
		t->fits[i].seen |= t->cells[i].type != FLT_CELL_ABSENT;
	}
	t->rows++;
	return 0;
}

static void write_json(struct flt_table *t)
{
	struct flt_json json;
	size_t i;

	flt_json_init(&json, t->out);
	flt_json_open_object(&json, NULL);
	for (i = 0; i < t->count; i++)
		flt_cell_json(&t->cells[i], &json, t->columns[i].key);
	flt_json_close_object(&json);
	flt_json_end_line(&json);
	end_row(t);
}

int flt_table_row(struct flt_table *t, const void *row, uint64_t known)
{
	size_t i;

	if (t->format == FLT_FORMAT_CSV)
		return flt_csv_row(t->csv, row, known);
	for (i = 0; i < t->count; i++)
		t->cells[i] = flt_cell_read(&t->columns[i], row, known);
	if (t->format == FLT_FORMAT_TEXT)
		return hold_row(t);
	write_json(t);
	return 0;
}

/* Write a line without trailing blanks. row NULL: the heading. */
static void write_line(struct flt_table *t, char **row)
{
	size_t i, k, pad, owed = 0;
	const char *text;
	bool first = true;

	for (i = 0; i < t->count; i++) {
		if (!t->columns[i].title || t->fits[i].left_out)
			continue;
		if (row)
			flt_fit_text(row[i], t->fits[i].width);
		text = row ? row[i] : t->columns[i].title;
		pad = t->fits[i].width - flt_escape_columns(text);
		if (!first)
			owed += t->gap;
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

/*
 * Write the cells of FLT_COLUMN_LINES below the row. Only these cells contain line feeds, because
 * line feeds in other cells are escaped.
 */
static void write_below(struct flt_table *t, char **row)
{
	char *line, *end;
	size_t i;

	for (i = 0; i < t->count; i++) {
		if (t->columns[i].title || !strchr(row[i], '\n'))
			continue;
		for (line = row[i]; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			flt_fit_text(line, t->room - INDENT);
			fprintf(t->out, "%*s%s\n", INDENT, "", line);
		}
	}
}

/* Tell once that columns are left out, because the reader could miss them. */
static void tell_left_out(struct flt_table *t)
{
	char line[1024];
	size_t i, used = 0;

	for (i = 0; i < t->count && used < sizeof(line); i++)
		if (t->columns[i].title && *t->columns[i].title && t->fits[i].left_out)
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s",
						 used ? ", " : "(-w shows also ",
						 t->columns[i].title);
	if (!used || t->told)
		return;
	if (used < sizeof(line))
		snprintf(line + used, sizeof(line) - used, ")");
	flt_fit_text(line, t->room);
	fprintf(t->out, "%s\n", line);
	t->told = true;
}

static void write_held(struct flt_table *t, bool headed)
{
	size_t i;

	/* Rows stay below the titles of their heading. */
	t->gap = flt_fit_columns(t->fits, t->columns, t->count, t->room, headed || !t->headed);
	t->headed |= headed;
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
	if (headed)
		tell_left_out(t);
}

void flt_table_fit(struct flt_table *t, size_t columns)
{
	t->room = columns ? columns : SIZE_MAX;
}

void flt_table_flush(struct flt_table *t, bool headed)
{
	if (t->format == FLT_FORMAT_TEXT)
		write_held(t, headed);
	if (t->format == FLT_FORMAT_CSV)
		flt_csv_flush(t->csv);
	fflush(t->out);
}

void flt_table_free(struct flt_table *t)
{
	if (!t)
		return;
	flt_table_flush(t, false);
	free_table(t);
}
