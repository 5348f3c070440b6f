// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct flt_fold_cell *slot_of(struct flt_fold_cell *cells, uint32_t mask, uint64_t row, uint32_t column)
{
	uint64_t h = (row * FLT_FOLD_COLUMNS + column) * 0x9e3779b97f4a7c15ull;
	uint32_t at = (uint32_t)(h >> 32) & mask;

	while (cells[at].all && (cells[at].row != row || cells[at].column != column))
		at = (at + 1) & mask;
	return &cells[at];
}

static void cell_add(struct flt_fold_cell *to, const struct flt_fold_cell *from)
{
	to->row = from->row;
	to->column = from->column;
	to->all = from->all > UINT32_MAX - to->all ? UINT32_MAX : to->all + from->all;
	to->again = from->again > UINT32_MAX - to->again ? UINT32_MAX : to->again + from->again;
}

static void cell_put(struct flt_fold_cell *cells, uint32_t mask, const struct flt_fold_cell *from, uint32_t *count)
{
	struct flt_fold_cell *to = slot_of(cells, mask, from->row, from->column);

	*count += !to->all;
	cell_add(to, from);
}

/* The cells of a band anew, rows and columns coarser by so many bits, in room for mask + 1. */
static int band_remake(struct flt_fold *f, struct flt_fold_band *b, uint32_t mask, unsigned int rows,
		       unsigned int columns)
{
	struct flt_fold_cell *cells = calloc((size_t)mask + 1, sizeof(*cells)), c;
	uint32_t i, count = 0;

	if (!cells)
		return -ENOMEM;
	for (i = 0; b->cells && i <= b->mask; i++) {
		if (!b->cells[i].all)
			continue;
		c = b->cells[i];
		c.row >>= rows;
		c.column >>= columns;
		cell_put(cells, mask, &c, &count);
	}
	free(b->cells);
	f->cells = f->cells - b->count + count;
	b->cells = cells;
	b->mask = mask;
	b->last_row = UINT64_MAX;
	b->count = count;
	b->shift = (uint8_t)(b->shift + rows);
	return 0;
}

static int columns_coarsen(struct flt_fold *f)
{
	uint32_t i;
	int err;

	for (i = 0; i < f->band_count; i++) {
		if (!f->bands[i].cells)
			continue;
		err = band_remake(f, &f->bands[i], f->bands[i].mask, 0, 1);
		if (err)
			return err;
	}
	f->step *= 2;
	f->column = 0;
	f->column_begin = f->begin;
	return 0;
}

static int band_reach(struct flt_fold *f, struct flt_fold_band *b, uint64_t page)
{
	uint64_t low = b->cells && b->low < page ? b->low : page;
	uint64_t high = b->cells && b->high > page ? b->high : page;
	unsigned int more = 0;
	int err;

	if (!b->cells) {
		err = band_remake(f, b, 7, 0, 0);
		if (err)
			return err;
	}
	while ((high >> (b->shift + more)) - (low >> (b->shift + more)) >= FLT_FOLD_ROWS)
		more++;
	if (more) {
		err = band_remake(f, b, b->mask, more, 0);
		if (err)
			return err;
	}
	b->low = low;
	b->high = high;
	return 0;
}

static int band_get(struct flt_fold *f, uint32_t region, struct flt_fold_band **out)
{
	uint32_t room = f->band_room ? f->band_room : 64;
	struct flt_fold_band *bands;

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

void flt_fold_begin(struct flt_fold *f, uint64_t time)
{
	f->begin = f->end = f->column_begin = time;
	f->column = 0;
	f->step = FLT_FOLD_STEP_NS;
	f->begun = true;
}

static uint64_t column_of(struct flt_fold *f, uint64_t time)
{
	if (time < f->column_begin || time - f->column_begin >= f->step) {
		f->column = (time - f->begin) / f->step;
		f->column_begin = f->begin + f->column * f->step;
	}
	return f->column;
}

static void band_add(struct flt_fold *f, struct flt_fold_band *b, const struct flt_fold_cell *c)
{
	struct flt_fold_cell *to = &b->cells[b->last];

	if (b->last_row != c->row || b->last_column != c->column || !to->all) {
		to = slot_of(b->cells, b->mask, c->row, c->column);
		b->last = (uint32_t)(to - b->cells);
		b->last_row = c->row;
		b->last_column = c->column;
		f->cells += !to->all;
		b->count += !to->all;
	}
	cell_add(to, c);
}

int flt_fold_add(struct flt_fold *f, uint32_t region, uint64_t page, uint64_t time, uint32_t faults, bool again)
{
	struct flt_fold_cell c = { .all = faults, .again = again ? faults : 0 };
	struct flt_fold_band *b;
	int err;

	if (!f->begun)
		flt_fold_begin(f, time);
	/* One that began before all others but ended, and came, later. */
	if (time < f->begin)
		time = f->begin;
	if (time > f->end)
		f->end = time;
	err = band_get(f, region, &b);
	if (!err)
		err = band_reach(f, b, page);
	while (!err && column_of(f, time) >= FLT_FOLD_COLUMNS)
		err = columns_coarsen(f);
	if (!err && b->count * 4 >= b->mask * 3)
		err = band_remake(f, b, b->mask * 2 + 1, 0, 0);
	while (!err && f->cells >= FLT_FOLD_CELLS && f->end - f->begin > f->step)
		err = columns_coarsen(f);
	if (err)
		return err;
	c.row = page >> b->shift;
	c.column = (uint32_t)column_of(f, time);
	band_add(f, b, &c);
	return 0;
}

uint32_t flt_fold_columns(const struct flt_fold *f)
{
	return f->begun ? (uint32_t)((f->end - f->begin) / f->step) + 1 : 1;
}

uint32_t flt_fold_rows(const struct flt_fold_band *b)
{
	return b->cells ? (uint32_t)((b->high >> b->shift) - (b->low >> b->shift)) + 1 : 0;
}

void flt_fold_free(struct flt_fold *f)
{
	uint32_t i;

	for (i = 0; i < f->band_count; i++)
		free(f->bands[i].cells);
	free(f->bands);
	memset(f, 0, sizeof(*f));
}
