// SPDX-License-Identifier: GPL-2.0-or-later
#include "picture/heatmap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 320

const struct flt_heat_band *flt_heatmap_band(const struct flt_regions *regions,
					     const struct flt_region *region)
{
	const uint32_t index = (uint32_t)(region - regions->rows);

	if (index >= regions->heat.band_count || !regions->heat.bands[index].count)
		return NULL;
	return &regions->heat.bands[index];
}

static int by_cell(const void *a, const void *b)
{
	const struct flt_atlas_cell *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

/* Sort cells and add up those of the same row and column. Return the number of cells left. */
static size_t merge_cells(struct flt_atlas_cell *cells, size_t n)
{
	size_t i, k = 0;

	qsort(cells, n, sizeof(*cells), by_cell);
	for (i = 0; i < n; i++) {
		if (k && !by_cell(&cells[k - 1], &cells[i])) {
			cells[k - 1].all += cells[i].all;
			cells[k - 1].again += cells[i].again;
		} else {
			cells[k++] = cells[i];
		}
	}
	return k;
}

/* Copy the cells of a region. fixed: put all cells into this row; -1: keep their rows. */
static size_t copy_cells(const struct flt_heatmap *map, const struct flt_heat_band *from,
			 struct flt_atlas_cell *to, int fixed)
{
	const struct flt_heat_cell *c;
	uint32_t i;

	for (i = 0; from && i < from->count; i++) {
		c = &from->cells[i];
		to[i] = (struct flt_atlas_cell){
			.row = fixed < 0 ? (uint32_t)(c->row - (from->low >> from->shift)) :
					   (uint32_t)fixed,
			.column = c->column >> map->coarser,
			.all = c->all,
			.again = c->again,
		};
	}
	return from ? from->count : 0;
}

/* Write process, faults and access pattern of a region. */
static void describe(const struct flt_regions *regions, const struct flt_region *r, char *text,
		     size_t size)
{
	const struct flt_verdict verdict = flt_pattern_classify(r->pattern);
	const char *comm = flt_regions_comm(regions, r->image);
	char pattern[96];

	flt_pattern_describe(&verdict, pattern, sizeof(pattern));
	snprintf(text, size, "%s%s%" PRIu32 ": %" PRIu64 " faults, %s", comm, comm[0] ? " " : "",
		 flt_regions_pid(regions, r->image), flt_region_faults(r), pattern);
}

/* Make the band of one region. Count it in the atlas, so that flt_heatmap_free() frees it. */
static int add_own_band(struct flt_heatmap *map, const struct flt_region *r)
{
	const struct flt_heat_band *from = flt_heatmap_band(map->regions, r);
	struct flt_atlas_cell *cells;
	struct flt_atlas_band *band;
	char name[NAME_LEN], note[256];

	if (!from)
		return 0;
	cells = calloc(from->count, sizeof(*cells));
	flt_region_label(map->regions, r, name, sizeof(name));
	describe(map->regions, r, note, sizeof(note));
	band = &map->bands[map->atlas.count++];
	*band = (struct flt_atlas_band){
		.name = strdup(name),
		.note = strdup(note),
		.start = from->low >> from->shift << from->shift << map->regions->page.shift,
		.bytes = 1ull << map->regions->page.shift << from->shift,
		.rows = flt_heat_rows(from),
		.cells = cells,
	};
	if (!cells || !band->name || !band->note)
		return -ENOMEM;
	band->count = merge_cells(cells, copy_cells(map, from, cells, -1));
	return 0;
}

/* Make one band of the regions of a process with few faults: a row for each. */
static int add_shared_band(struct flt_heatmap *map, const struct flt_region *const *rows, size_t n)
{
	struct flt_atlas_area *areas = calloc(n, sizeof(*areas));
	struct flt_atlas_band *band = &map->bands[map->atlas.count++];
	const struct flt_heat_band *from;
	struct flt_atlas_cell *cells;
	size_t i, all = 1, used = 0;
	const char *comm = flt_regions_comm(map->regions, rows[0]->image);
	char name[NAME_LEN], note[96];
	uint64_t faults = 0;

	for (i = 0; i < n; i++) {
		from = flt_heatmap_band(map->regions, rows[i]);
		all += from ? from->count : 0;
		faults += flt_region_faults(rows[i]);
	}
	cells = calloc(all, sizeof(*cells));
	snprintf(name, sizeof(name), "%zu small region%s", n, n == 1 ? "" : "s");
	snprintf(note, sizeof(note), "%s%s%" PRIu32 ": %" PRIu64 " faults", comm,
		 comm[0] ? " " : "", flt_regions_pid(map->regions, rows[0]->image), faults);
	*band = (struct flt_atlas_band){
		.name = strdup(name), .note = strdup(note), .rows = (uint32_t)n, .areas = areas,
		.cells = cells,
	};
	if (!areas || !cells || !band->name || !band->note)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		from = flt_heatmap_band(map->regions, rows[i]);
		used += copy_cells(map, from, cells + used, (int)i);
		flt_region_label(map->regions, rows[i], name, sizeof(name));
		areas[i] = (struct flt_atlas_area){
			strdup(name), rows[i]->area.start, rows[i]->area.end
		};
		if (!areas[i].name)
			return -ENOMEM;
	}
	band->count = merge_cells(cells, used);
	return 0;
}

static int by_faults(const void *a, const void *b)
{
	const struct flt_region *x = *(const struct flt_region *const *)a;
	const struct flt_region *y = *(const struct flt_region *const *)b;

	if (flt_region_faults(x) != flt_region_faults(y))
		return flt_region_faults(x) > flt_region_faults(y) ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int by_process(const void *a, const void *b)
{
	const struct flt_region *x = *(const struct flt_region *const *)a;
	const struct flt_region *y = *(const struct flt_region *const *)b;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return by_faults(a, b);
}

/* Add one band per process for its regions with few faults. */
static int add_shared_bands(struct flt_heatmap *map, const struct flt_region **rows, size_t n)
{
	size_t from, to;
	int err = 0;

	qsort(rows, n, sizeof(*rows), by_process);
	for (from = 0; from < n && !err; from = to) {
		for (to = from + 1; to < n && rows[to]->image == rows[from]->image; to++)
			;
		err = add_shared_band(map, rows + from, to - from);
	}
	return err;
}

/* The region with most faults is the first, because a reader begins there. */
static int add_bands(struct flt_heatmap *map, const struct flt_region **rows, size_t n,
		     const struct flt_heatmap_setup *setup)
{
	uint64_t all = 0;
	size_t own, i;
	int err = 0;

	/* In the worst case each region has a band, or each process one. */
	map->bands = calloc(n + 1, sizeof(*map->bands));
	if (!map->bands)
		return -ENOMEM;
	map->atlas.bands = map->bands;
	qsort(rows, n, sizeof(*rows), by_faults);
	for (i = 0; i < n; i++)
		all += flt_region_faults(rows[i]);
	for (own = 0; own < n && own < setup->bands && !err; own++) {
		if (setup->others && flt_region_faults(rows[own]) < (all + 99) / 100)
			break;
		err = add_own_band(map, rows[own]);
	}
	if (err)
		return err;
	if (setup->others)
		return add_shared_bands(map, rows + own, n - own);
	map->atlas.hidden += n - own;
	return 0;
}

int flt_heatmap_make(struct flt_heatmap *map, const struct flt_regions *regions,
		     const struct flt_heatmap_setup *setup)
{
	const struct flt_region **rows = calloc(regions->count + 1, sizeof(*rows));
	const struct flt_heat *heat = &regions->heat;
	uint32_t columns = flt_heat_columns(heat), i;
	size_t n = 0;
	int err;

	*map = (struct flt_heatmap){ .regions = regions };
	if (!rows)
		return -ENOMEM;
	while (heat->cells >> map->coarser > setup->cells_max && columns >> map->coarser > 16)
		map->coarser++;
	map->atlas.columns = ((columns - 1) >> map->coarser) + 1;
	map->atlas.seconds = (double)(heat->step << map->coarser) * map->atlas.columns / 1e9;
	for (i = 0; i < regions->count; i++) {
		if (!flt_region_faults(&regions->rows[i]) && !regions->rows[i].failed)
			continue;
		if (flt_region_faults(&regions->rows[i]) >= setup->least)
			rows[n++] = &regions->rows[i];
		else
			map->atlas.hidden++;
	}
	err = add_bands(map, rows, n, setup);
	free(rows);
	return err;
}

void flt_heatmap_free(struct flt_heatmap *map)
{
	size_t i, k;

	for (i = 0; i < map->atlas.count; i++) {
		for (k = 0; map->bands[i].areas && k < map->bands[i].rows; k++)
			free((void *)map->bands[i].areas[k].name);
		free((void *)map->bands[i].areas);
		free((void *)map->bands[i].cells);
		free((void *)map->bands[i].name);
		free((void *)map->bands[i].note);
	}
	free(map->bands);
	*map = (struct flt_heatmap){ 0 };
}
