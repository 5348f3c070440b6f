// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/terminal/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text/escape.h"
#include "view/table/cell.h"

#define MOST 1000

int flt_screen_open(struct flt_screen *s, int rows, int cols, bool unicode)
{
	int i;

	rows = rows < 1 ? 1 : rows > MOST ? MOST : rows;
	cols = cols < 1 ? 1 : cols > MOST ? MOST : cols;
	*s = (struct flt_screen){ .rows = rows, .cols = cols, .unicode = unicode };
	s->cell = calloc((size_t)rows * (size_t)cols, sizeof(*s->cell));
	if (!s->cell)
		return -ENOMEM;
	for (i = 0; i < rows * cols; i++)
		s->cell[i].text[0] = ' ';
	return 0;
}

void flt_screen_close(struct flt_screen *s)
{
	free(s->cell);
	*s = (struct flt_screen){ 0 };
}

/* Return the width if all terminals agree on it, else 0: the character is escaped. */
static int width_of(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		int width;
	} known[] = {
		{ 0x20, 0x7e, 1 },	   { 0xa1, 0xac, 1 },	    { 0xae, 0x2ff, 1 },
		{ 0x370, 0x373, 1 },	   { 0x386, 0x386, 1 },	    { 0x388, 0x38a, 1 },
		{ 0x391, 0x3a1, 1 },	   { 0x3a3, 0x482, 1 },	    { 0x48a, 0x52f, 1 },
		{ 0x2190, 0x2193, 1 },	   { 0x2500, 0x259f, 1 },   { 0x3041, 0x3096, 2 },
		{ 0x30a1, 0x30fa, 2 },	   { 0x4e00, 0x9fff, 2 },   { 0xac00, 0xd7a3, 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (c >= known[i].first && c <= known[i].last)
			return known[i].width;
	return 0;
}

/* Write the next character as it is shown: itself, or its escape. Return the bytes read. */
static size_t next(const struct flt_screen *s, const char *text, char out[16], int *width)
{
	uint32_t point = 0;
	size_t n = flt_escape_decode(text, strlen(text), &point);

	*width = n ? width_of(point) : 0;
	if (*width && (point < 0x80 || s->unicode)) {
		memcpy(out, text, n);
		out[n] = '\0';
		return n;
	}
	*width = snprintf(out, 16, point > 0xffff ? "\\U%08x" : "\\u%04x", point);
	return n ? n : 1;
}

static char *escaped(const char *text)
{
	size_t size = strlen(text) * FLT_ESCAPE_GROWTH + 1;
	char *out = malloc(size);

	if (out)
		flt_escape_text(out, size, text, strlen(text));
	return out;
}

int flt_screen_width(const struct flt_screen *s, const char *text)
{
	char *safe = escaped(text), one[16];
	const char *at = safe;
	int all = 0, width;

	while (at && *at) {
		at += next(s, at, one, &width);
		all += width;
	}
	free(safe);
	return all;
}

static void put_cell(struct flt_screen *s, int row, int col, enum flt_look_of look,
		     const char *text, size_t n)
{
	struct flt_screen_cell *cell = &s->cell[row * s->cols + col];

	memcpy(cell->text, text, n);
	cell->text[n] = '\0';
	cell->look = (uint8_t)look;
}

int flt_screen_put(struct flt_screen *s, int row, int col, int width, bool right,
		   enum flt_look_of look, const char *text)
{
	int end = width && col + width < s->cols ? col + width : s->cols, wide, i, at = col;
	char *safe, one[16];
	const char *from;

	if (row < 0 || row >= s->rows || col < 0 || col >= s->cols)
		return col;
	safe = escaped(text);
	if (!safe)
		return col;
	if (right && width) {
		wide = flt_screen_width(s, text);
		if (wide < end - col)
			at = end - wide;
	}
	if (look != FLT_LOOK_PLAIN)
		for (i = col; i < end && width; i++)
			put_cell(s, row, i, look, " ", 1);
	for (from = safe; *from;) {
		from += next(s, from, one, &wide);
		if (at + wide > end) {
			/* Mark truncated text, if there is room for the mark. */
			if (at > col && end - col > 3) {
				at = at < end ? at : end - 1;
				if (!*s->cell[row * s->cols + at].text)
					put_cell(s, row, at - 1, look, " ", 1);
				put_cell(s, row, at, look, "+", 1);
			}
			at = end;
			break;
		}
		if ((size_t)wide == strlen(one)) {
			for (i = 0; i < wide; i++)
				put_cell(s, row, at++, look, one + i, 1);
		} else {
			put_cell(s, row, at++, look, one, strlen(one));
			if (wide == 2)
				put_cell(s, row, at++, look, "", 0);
		}
	}
	free(safe);
	return at;
}

static int put_column(struct flt_screen *s, int row, int end, int col, int width,
		      const struct flt_screen_rows *rows, const struct flt_column *column)
{
	const char *at = rows->row;
	struct flt_cell cell;
	uint64_t known;
	char *text;
	size_t k;

	for (k = 0; k < rows->count && row + (int)k < end; k++, at += rows->size) {
		memcpy(&known, at + rows->known, sizeof(known));
		cell = flt_cell_read(column, at, known);
		text = flt_cell_text(&cell);
		if (!text)
			return -ENOMEM;
		flt_screen_put(s, row + (int)k, col, width, column->width >= 0,
			       cell.type == FLT_CELL_ABSENT ? FLT_LOOK_DIM : FLT_LOOK_PLAIN, text);
		free(text);
	}
	return 0;
}

int flt_screen_table(struct flt_screen *s, int row, int end, const struct flt_screen_rows *rows)
{
	const struct flt_column *c, *last = NULL;
	int col = 0, width, ret = 0;

	for (c = rows->columns; c->type != FLT_COLUMN_END; c++)
		if (flt_column_in_text(c, rows->shown))
			last = c;
	if (end > s->rows)
		end = s->rows;
	/* The colour of the heading reaches the edge of the screen. */
	flt_screen_put(s, row, 0, s->cols, false, FLT_LOOK_HEADING, "");
	for (c = rows->columns; !ret && c->type != FLT_COLUMN_END && col < s->cols; c++) {
		if (!flt_column_in_text(c, rows->shown))
			continue;
		/* Names take the rest of the line; figures stay below their heading. */
		width = c == last && c->width < 0 ? s->cols - col : abs(c->width);
		flt_screen_put(s, row, col, width, c->width >= 0,
			       c == rows->sorted ? FLT_LOOK_SORTED : FLT_LOOK_HEADING, c->title);
		ret = put_column(s, row + 1, end, col, width, rows, c);
		col += width + 1;
	}
	return ret;
}

void flt_screen_line(const struct flt_screen *s, int row, char *out)
{
	size_t used = 0, end = 0, n;
	int col;

	for (col = 0; col < s->cols; col++) {
		const char *text = s->cell[row * s->cols + col].text;

		n = strlen(text);
		memcpy(out + used, text, n);
		used += n;
		if (n && strcmp(text, " ") != 0)
			end = used;
	}
	out[end] = '\0';
}
