// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/heat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add_saturated(uint32_t a, uint32_t b)
{
	return b > UINT32_MAX - a ? UINT32_MAX : a + b;
}

static void cell_add(struct flt_heat_cell *to, uint32_t all, uint32_t again)
{
	to->all = add_saturated(to->all, all);
	to->again = add_saturated(to->again, again);
}

static struct flt_heat_cell *cell_find(const struct flt_heat_band *b, uint64_t row, uint32_t column)
{
	struct flt_index_search s = flt_index_search(flt_index_hash(row, column));
	uint32_t n;

	while (flt_index_next(&b->index, &s, &n))
		if (b->cells[n].row == row && b->cells[n].column == column)
			return &b->cells[n];
	return NULL;
}

static int cell_get(struct flt_heat *f, struct flt_heat_band *b, uint64_t row, uint32_t column,
		    struct flt_heat_cell **out)
{
	uint32_t room = b->room ? b->room * 2 : 8;
	struct flt_heat_cell *more;
	int err;

	*out = cell_find(b, row, column);
	if (*out)
		return 0;
	if (b->count == b->room) {
		more = reallocarray(b->cells, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		b->cells = more;
		b->room = room;
	}
	err = flt_index_add(&b->index, flt_index_hash(row, column), b->count);
	if (err)
		return err;
	*out = &b->cells[b->count++];
	**out = (struct flt_heat_cell){ .row = row, .column = column };
	f->cells++;
	return 0;
}

/*
 * Halve the resolution of rows and columns as often as given: merge the cells of a band that get
 * the same row and column. Cells move to lower numbers only, so this works in place. The index
 * does not grow, because there are no more cells than before.
 */
static int band_coarsen(struct flt_heat *f, struct flt_heat_band *b, unsigned int rows,
			unsigned int columns)
{
	struct flt_heat_cell c, *to;
	uint32_t i, count = b->count;
	int err;

	flt_index_clear(&b->index);
	f->cells -= count;
	b->count = 0;
	b->last = 0;
	b->shift = (uint8_t)(b->shift + rows);
	for (i = 0; i < count; i++) {
		c = b->cells[i];
		err = cell_get(f, b, c.row >> rows, c.column >> columns, &to);
		if (err)
			return err;
		cell_add(to, c.all, c.again);
	}
	return 0;
}

static int columns_coarsen(struct flt_heat *f)
{
	uint32_t i;
	int err;

	for (i = 0; i < f->band_count; i++) {
		err = band_coarsen(f, &f->bands[i], 0, 1);
		if (err)
			return err;
	}
	f->step *= 2;
	f->column = 0;
	f->column_begin = f->begin;
	return 0;
}

/* Extend a band to a page, with coarser rows if there are more than FLT_HEAT_ROWS. */
static int band_reach(struct flt_heat *f, struct flt_heat_band *b, uint64_t page)
{
	uint64_t low = b->count && b->low < page ? b->low : page;
	uint64_t high = b->count && b->high > page ? b->high : page;
	unsigned int more = 0;
	int err;

	while ((high >> (b->shift + more)) - (low >> (b->shift + more)) >= FLT_HEAT_ROWS)
		more++;
	if (more) {
		err = band_coarsen(f, b, more, 0);
		if (err)
			return err;
	}
	b->low = low;
	b->high = high;
	return 0;
}

static int band_get(struct flt_heat *f, uint32_t region, struct flt_heat_band **out)
{
	uint32_t room = f->band_room ? f->band_room : 64;
	struct flt_heat_band *bands;

	while (region >= room)
		room *= 2;
	if (room != f->band_room) {
		bands = reallocarray(f->bands, room, sizeof(*bands));
		if (!bands)
			return -ENOMEM;
		memset(bands + f->band_room, 0, (room - f->band_room) * sizeof(*bands));
		f->bands = bands;
		f->band_room = room;
	}
	if (region >= f->band_count)
		f->band_count = region + 1;
	*out = &f->bands[region];
	return 0;
}

void flt_heat_begin(struct flt_heat *f, uint64_t time)
{
	f->begin = f->end = f->column_begin = time;
	f->column = 0;
	f->step = FLT_HEAT_STEP_NS;
	f->begun = true;
}

static uint64_t column_of(struct flt_heat *f, uint64_t time)
{
	if (time < f->column_begin || time - f->column_begin >= f->step) {
		f->column = (time - f->begin) / f->step;
		f->column_begin = f->begin + f->column * f->step;
	}
	return f->column;
}

static int band_add(struct flt_heat *f, struct flt_heat_band *b, uint64_t row, uint32_t column,
		    uint32_t all, uint32_t again)
{
	struct flt_heat_cell *to = b->count ? &b->cells[b->last] : NULL;
	int err;

	if (!to || to->row != row || to->column != column) {
		err = cell_get(f, b, row, column, &to);
		if (err)
			return err;
		b->last = (uint32_t)(to - b->cells);
	}
	cell_add(to, all, again);
	return 0;
}

int flt_heat_extend(struct flt_heat *f, uint64_t time)
{
	int err = 0;

	if (time > f->end)
		f->end = time;
	while (!err && column_of(f, time) >= FLT_HEAT_COLUMNS)
		err = columns_coarsen(f);
	return err;
}

int flt_heat_add(struct flt_heat *f, uint32_t region, uint64_t page, uint64_t time, uint32_t faults,
		 bool again)
{
	struct flt_heat_band *b;
	int err;

	if (!f->begun)
		flt_heat_begin(f, time);
	/* Faults are in the order of their ends, so a later one may have begun before the first. */
	if (time < f->begin)
		time = f->begin;
	err = band_get(f, region, &b);
	if (!err)
		err = band_reach(f, b, page);
	if (!err)
		err = flt_heat_extend(f, time);
	while (!err && f->cells >= FLT_HEAT_CELLS && f->end - f->begin > f->step)
		err = columns_coarsen(f);
	if (err)
		return err;
	return band_add(f, b, page >> b->shift, (uint32_t)column_of(f, time), faults,
			again ? faults : 0);
}

uint32_t flt_heat_columns(const struct flt_heat *f)
{
	return f->begun ? (uint32_t)((f->end - f->begin) / f->step) + 1 : 1;
}

uint32_t flt_heat_rows(const struct flt_heat_band *b)
{
	return b->count ? (uint32_t)((b->high >> b->shift) - (b->low >> b->shift)) + 1 : 0;
}

void flt_heat_free(struct flt_heat *f)
{
	uint32_t i;

	for (i = 0; i < f->band_count; i++) {
		free(f->bands[i].cells);
		flt_index_free(&f->bands[i].index);
	}
	free(f->bands);
	memset(f, 0, sizeof(*f));
}
