// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/table/fit.h"

#include <stdlib.h>
#include <string.h>

#include "text/escape.h"

#define GAP 2
/* Strings keep this width as long as other columns can give space, and at least the second. */
#define STRING_GOOD 16
#define STRING_LEAST 6

struct layout {
	struct flt_fit *fits;
	const struct flt_column *columns;
	size_t count, room, gap;
};

static bool is_placed(const struct layout *l, size_t i)
{
	return l->columns[i].title && !l->fits[i].left_out;
}

/* Return the columns that the line has too many. */
static size_t excess(const struct layout *l)
{
	size_t i, used = 0, placed = 0;

	for (i = 0; i < l->count; i++) {
		if (!is_placed(l, i))
			continue;
		used += l->fits[i].width;
		placed++;
	}
	if (placed)
		used += (placed - 1) * l->gap;
	return used > l->room ? used - l->room : 0;
}

static bool can_shorten(const struct flt_column *c)
{
	return (c->type == FLT_COLUMN_STRING || c->type == FLT_COLUMN_CHARS) && !c->spare;
}

/* Take columns from the widest string, until the line fits or no string is wider than least. */
static bool shorten(const struct layout *l, size_t least)
{
	size_t i, widest, over;

	for (over = excess(l); over; over--) {
		widest = l->count;
		for (i = 0; i < l->count; i++)
			if (is_placed(l, i) && can_shorten(&l->columns[i]) &&
			    l->fits[i].width > least &&
			    l->fits[i].width > strlen(l->columns[i].title) &&
			    (widest == l->count || l->fits[i].width > l->fits[widest].width))
				widest = i;
		if (widest == l->count)
			return false;
		l->fits[widest].width--;
	}
	return true;
}

static void reset_widths(const struct layout *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		l->fits[i].width = l->fits[i].content;
}

/* Leave a column out, then try again with all strings at full length. */
static bool leave_out(const struct layout *l, size_t i)
{
	l->fits[i].left_out = true;
	reset_widths(l);
	return shorten(l, STRING_GOOD);
}

static bool leave_unknown_out(const struct layout *l)
{
	size_t i;

	for (i = l->count; i--;)
		if (is_placed(l, i) && !l->fits[i].seen && leave_out(l, i))
			return true;
	return false;
}

static bool leave_spare_out(const struct layout *l)
{
	unsigned int rank, last = 0;
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->columns[i].spare > last)
			last = l->columns[i].spare;
	for (rank = 1; rank <= last; rank++)
		for (i = l->count; i--;)
			if (is_placed(l, i) && l->columns[i].spare == rank && leave_out(l, i))
				return true;
	return false;
}

size_t flt_fit_columns(struct flt_fit *fits, const struct flt_column *columns, size_t count,
		       size_t room, bool choose)
{
	struct layout l = { fits, columns, count, room, GAP };
	size_t i, least;

	for (i = 0; i < count; i++) {
		least = (size_t)abs(columns[i].width);
		fits[i].left_out &= !choose;
		fits[i].width = fits[i].content > least ? fits[i].content : least;
	}
	if (!excess(&l))
		return l.gap;
	reset_widths(&l);
	if (shorten(&l, STRING_GOOD) ||
	    (choose && (leave_unknown_out(&l) || leave_spare_out(&l))))
		return l.gap;
	l.gap = 1;
	shorten(&l, STRING_LEAST);
	return l.gap;
}

/* Return the start of code point n. */
static char *point_at(char *text, size_t n)
{
	for (; *text && n; n--)
		do
			text++;
		while (((unsigned char)*text & 0xc0) == 0x80);
	return text;
}

void flt_fit_text(char *text, size_t width)
{
	size_t columns = flt_escape_columns(text), start, end;
	char *head, *tail;

	if (columns <= width)
		return;
	if (width <= 2) {
		*point_at(text, width) = '\0';
		return;
	}
	end = (width - 2) / 2;
	start = width - 2 - end;
	head = point_at(text, start);
	tail = point_at(text, columns - end);
	memcpy(head, "..", 2);
	memmove(head + 2, tail, strlen(tail) + 1);
}
