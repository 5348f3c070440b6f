// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Blocks closer than this are one segment, gap included. */
#define GAP_BLOCKS 8

void flt_grid_block(const struct flt_fault *f, struct flt_group_key *key)
{
	*key = (struct flt_group_key){ .image = f->image, .at = f->address >> FLT_GRID_BLOCK_SHIFT };
}

static int block_order(const void *a, const void *b)
{
	const struct flt_group_entry *x = *(const struct flt_group_entry *const *)a;
	const struct flt_group_entry *y = *(const struct flt_group_entry *const *)b;

	if (x->key.image != y->key.image)
		return x->key.image < y->key.image ? -1 : 1;
	return x->key.at < y->key.at ? -1 : x->key.at > y->key.at;
}

static int faults_order(const void *a, const void *b)
{
	const struct flt_segment *x = a, *y = b;

	return x->faults > y->faults ? -1 : x->faults < y->faults;
}

static int address_order(const void *a, const void *b)
{
	const struct flt_segment *x = a, *y = b;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static size_t segments_make(const struct flt_group_entry **blocks, size_t n, struct flt_segment *segments,
			    const struct flt_recording *rec)
{
	struct flt_segment *s = NULL;
	const struct flt_map *map;
	uint64_t faults, most = 0, start;
	size_t i, count = 0;

	for (i = 0; i < n; i++) {
		start = blocks[i]->key.at << FLT_GRID_BLOCK_SHIFT;
		faults = flt_counts_all(&blocks[i]->counts);
		if (!s || s->image != blocks[i]->key.image || start - s->end > (uint64_t)GAP_BLOCKS << FLT_GRID_BLOCK_SHIFT) {
			s = &segments[count++];
			*s = (struct flt_segment){ .image = blocks[i]->key.image, .start = start, .name = "" };
			most = 0;
		}
		s->end = start + (1ull << FLT_GRID_BLOCK_SHIFT);
		s->faults += faults;
		if (faults <= most)
			continue;
		most = faults;
		map = flt_recording_map(rec, s->image, start + (1ull << (FLT_GRID_BLOCK_SHIFT - 1)));
		if (!map)
			map = flt_recording_map(rec, s->image, start);
		s->name = map ? map->name : "";
	}
	return count;
}

/* At least two rows each, the rest by size; logarithmic, so that a heap does not hide a stack. */
static void rows_deal(struct flt_grid *g)
{
	uint64_t weight[FLT_GRID_SEGMENTS], sum = 0;
	uint32_t spare = FLT_GRID_ROWS - 2 * (uint32_t)g->segment_count;
	size_t i;

	for (i = 0; i < g->segment_count; i++) {
		weight[i] = 64 - (uint64_t)__builtin_clzll((g->segments[i].end - g->segments[i].start) >> FLT_GRID_BLOCK_SHIFT);
		weight[i] *= weight[i];
		sum += weight[i];
	}
	for (i = 0; i < g->segment_count; i++) {
		g->segments[i].row = g->rows;
		g->segments[i].rows = 2 + (uint32_t)(spare * weight[i] / sum);
		g->rows += g->segments[i].rows;
	}
}

int flt_grid_plan(struct flt_grid *g, const struct flt_group *blocks, const struct flt_recording *rec, uint64_t from,
		  uint64_t until)
{
	const struct flt_group_entry **sorted = malloc(blocks->count * sizeof(*sorted));
	struct flt_segment *segments = malloc(blocks->count * sizeof(*segments));
	size_t n, i;
	int err = -ENOMEM;

	memset(g, 0, sizeof(*g));
	g->from = from;
	g->until = until > from ? until : from + 1;
	if (!sorted || !segments)
		goto out;
	for (i = 0; i < blocks->count; i++)
		sorted[i] = &blocks->entries[i];
	qsort(sorted, blocks->count, sizeof(*sorted), block_order);
	n = segments_make(sorted, blocks->count, segments, rec);
	qsort(segments, n, sizeof(*segments), faults_order);
	g->segment_count = n < FLT_GRID_SEGMENTS ? n : FLT_GRID_SEGMENTS;
	memcpy(g->segments, segments, g->segment_count * sizeof(*segments));
	qsort(g->segments, g->segment_count, sizeof(*segments), address_order);
	rows_deal(g);
	g->all = calloc((size_t)g->rows * FLT_GRID_COLUMNS, sizeof(*g->all));
	g->again = calloc((size_t)g->rows * FLT_GRID_COLUMNS, sizeof(*g->again));
	if (g->all && g->again)
		err = 0;
out:
	free(sorted);
	free(segments);
	return err;
}

void flt_grid_add(struct flt_grid *g, const struct flt_fault *f)
{
	const struct flt_segment *s;
	uint64_t column, cell;
	size_t i;

	if (f->time < g->from || f->time > g->until)
		return;
	column = (uint64_t)((double)(f->time - g->from) / (double)(g->until - g->from) * FLT_GRID_COLUMNS);
	if (column >= FLT_GRID_COLUMNS)
		column = FLT_GRID_COLUMNS - 1;
	g->rate[column] += f->weight;
	if (f->flags & FLT_FAULT_REFAULT)
		g->rate_again[column] += f->weight;
	if (f->flags & FLT_FAULT_MAJOR)
		g->rate_major[column] += f->weight;
	for (i = 0; i < g->segment_count; i++) {
		s = &g->segments[i];
		if (s->image != f->image || f->address < s->start || f->address >= s->end)
			continue;
		cell = s->row + (uint64_t)((double)(f->address - s->start) / (double)(s->end - s->start) * s->rows);
		cell = cell * FLT_GRID_COLUMNS + column;
		g->all[cell] += f->weight;
		if (f->flags & FLT_FAULT_REFAULT)
			g->again[cell] += f->weight;
		return;
	}
	g->outside += f->weight;
}

void flt_grid_free(struct flt_grid *g)
{
	free(g->all);
	free(g->again);
	memset(g, 0, sizeof(*g));
}
