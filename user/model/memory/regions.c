// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/regions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/mapset.h"
#include "model/recording/strings.h"

#define NAME_BYTES_MAX (64u << 20)
#define COMM_LEN 16
/* Blocks of pages that all regions share (50 MiB). */
#define TOUCHED_BLOCKS (1u << 19)
#define NONE (~0u)
/* Limit of the time that a fault of a malicious file takes. */
#define FAULT_PAGES_MAX 4096u
/* Number of the region that counts all faults past FLT_REGIONS_MAX. */
#define OTHERS 0u

struct flt_region_image {
	struct flt_map_set *maps;	/* NULL: no such image */
	uint32_t pid;
	uint32_t unknown, remote;	/* regions, 0: none yet */
	char comm[COMM_LEN];
};

/* Add a row, or return OTHERS past the limit. */
static int row_add(struct flt_regions *g, uint32_t image, const struct flt_region_area *area,
		   uint32_t *index)
{
	uint32_t room = g->room ? g->room * 2 : 64;
	struct flt_region *rows;

	if (g->count >= FLT_REGIONS_MAX) {
		*index = OTHERS;
		return 0;
	}
	if (g->count == g->room) {
		rows = reallocarray(g->rows, room, sizeof(*rows));
		if (!rows)
			return -ENOMEM;
		g->rows = rows;
		g->room = room;
	}
	*index = g->count++;
	g->rows[*index] = (struct flt_region){ .area = *area, .image = image };
	return 0;
}

int flt_regions_new(struct flt_regions **out, struct flt_page_size page, uint32_t around)
{
	const struct flt_region_area others = { .of = FLT_REGION_OTHERS, .name = "" };
	struct flt_regions *g = calloc(1, sizeof(*g));
	uint32_t index;

	if (!g)
		return -ENOMEM;
	g->page = page;
	g->around = around ? around : 1;
	g->strings = flt_strings_new(NAME_BYTES_MAX);
	g->touched_budget = TOUCHED_BLOCKS;
	g->map_budget = FLT_MAP_SET_COPIED;
	if (!g->strings || row_add(g, 0, &others, &index)) {
		flt_regions_free(g);
		return -ENOMEM;
	}
	*out = g;
	return 0;
}

void flt_regions_free(struct flt_regions *g)
{
	uint32_t i;

	if (!g)
		return;
	for (i = 0; i < g->image_room; i++)
		flt_map_set_put(g->images[i].maps);
	for (i = 0; i < g->count; i++) {
		flt_pattern_free(g->rows[i].pattern);
		flt_page_set_free(&g->rows[i].touched, &g->touched_budget);
	}
	free(g->images);
	free(g->rows);
	flt_strings_free(g->strings);
	flt_name_table_free(&g->files);
	flt_heat_free(&g->heat);
	free(g);
}

static int image_make(struct flt_regions *g, uint32_t number)
{
	struct flt_region_image *images, *image;
	uint32_t room;

	if (number > FLT_IMAGES_MAX)
		return -E2BIG;
	if (number >= g->image_room) {
		for (room = g->image_room ? g->image_room : 64; room <= number; room *= 2)
			;
		images = reallocarray(g->images, room, sizeof(*images));
		if (!images)
			return -ENOMEM;
		memset(images + g->image_room, 0, (room - g->image_room) * sizeof(*images));
		g->images = images;
		g->image_room = room;
	}
	image = &g->images[number];
	if (!image->maps)
		image->maps = flt_map_set_new(&g->map_budget);
	return image->maps ? 0 : -ENOMEM;
}

static inline int image_get(struct flt_regions *g, uint32_t number, struct flt_region_image **out)
{
	int err = number < g->image_room && g->images[number].maps ? 0 : image_make(g, number);

	*out = err ? NULL : &g->images[number];
	return err;
}

int flt_regions_image(struct flt_regions *g, uint32_t number, uint32_t parent, uint32_t pid,
		      const char *comm)
{
	struct flt_region_image *image;
	struct flt_map_set *maps;
	int err = image_get(g, number, &image);

	if (err)
		return err;
	image->pid = pid;
	if (comm)
		snprintf(image->comm, sizeof(image->comm), "%s", comm);
	if (parent && parent < g->image_room && g->images[parent].maps) {
		maps = flt_map_set_get(g->images[parent].maps);
		flt_map_set_put(image->maps);
		image->maps = maps;
	}
	return 0;
}

uint32_t flt_regions_pid(const struct flt_regions *g, uint32_t image)
{
	return image < g->image_room ? g->images[image].pid : 0;
}

const char *flt_regions_comm(const struct flt_regions *g, uint32_t image)
{
	return image < g->image_room ? g->images[image].comm : "";
}

static uint64_t base_of(const struct flt_regions *g, const struct flt_region_area *a)
{
	return a->page - (a->start >> g->page.shift);
}

/*
 * Return true if two areas are the same mapping, which may have grown or shrunk. Offsets and
 * rights of files must agree, because they tell code from data. Rights of anonymous memory may
 * differ, because programs change them often.
 */
static bool same(const struct flt_regions *g, const struct flt_region_area *a,
		 const struct flt_region_area *b)
{
	if (a->of != b->of || a->shared != b->shared || a->inode != b->inode ||
	    a->device != b->device || a->name != b->name)
		return false;
	if (a->of != FLT_AREA_FILE && a->of != FLT_AREA_SHMEM && a->of != FLT_AREA_DEVICE)
		return true;
	return base_of(g, a) == base_of(g, b) && a->protection == b->protection;
}

static const char *path_of(const struct flt_regions *g, const struct flt_region_area *a)
{
	return a->inode ? flt_name_table_get(&g->files, a->device, a->inode) : NULL;
}

/*
 * Return true if `area` continues this region. A region of the parent image does not count, nor
 * does a region of a deleted file whose inode number was reused: its path differs.
 */
static bool row_fits(const struct flt_regions *g, uint32_t row, uint32_t image,
		     const struct flt_region_area *area)
{
	const char *path = path_of(g, area);

	return row != NONE && row != OTHERS && g->rows[row].image == image &&
	       same(g, &g->rows[row].area, area) &&
	       (!path || !g->rows[row].path || path == g->rows[row].path);
}

int flt_regions_area(struct flt_regions *g, uint32_t number, const struct flt_region_area *area)
{
	struct flt_region_area known = *area, *old;
	struct flt_region_image *image;
	uint32_t row;
	int err;

	if (known.end <= known.start)
		return 0;
	err = image_get(g, number, &image);
	if (err)
		return err;
	known.name = flt_strings_add(g->strings, area->name ? area->name : "");
	if (!known.name)
		known.name = "";
	row = flt_map_set_find(image->maps, known.start);
	if (!row_fits(g, row, number, &known))
		row = flt_map_set_find(image->maps, known.end - 1);
	if (row_fits(g, row, number, &known)) {
		old = &g->rows[row].area;
		old->page = old->start < known.start ? old->page : known.page;
		old->start = old->start < known.start ? old->start : known.start;
		old->end = old->end > known.end ? old->end : known.end;
		old->token = known.token;
	} else {
		err = row_add(g, number, &known, &row);
		if (err)
			return err;
	}
	if (row != OTHERS && !g->rows[row].path)
		g->rows[row].path = path_of(g, &known);
	err = flt_map_set_change(&image->maps, known.start, known.end, row);
	/* More mappings than the kernel allows: later faults there have no known mapping. */
	return err == -E2BIG ? 0 : err;
}

int flt_regions_path(struct flt_regions *g, uint32_t device, uint64_t inode, const char *path)
{
	const char *kept = flt_strings_add(g->strings, path);

	return kept ? flt_name_table_set(&g->files, device, inode, kept) : -ENOMEM;
}

uint32_t flt_regions_token(const struct flt_regions *g, uint32_t image, uint64_t address)
{
	uint32_t row;

	if (image >= g->image_room || !g->images[image].maps)
		return NONE;
	row = flt_map_set_find(g->images[image].maps, address);
	return row == NONE || g->rows[row].image != image ? NONE : g->rows[row].area.token;
}

int flt_regions_confirm(struct flt_regions *g, uint32_t number, uint64_t address, uint32_t device,
			uint64_t inode)
{
	const struct flt_region_area *a;
	struct flt_region_image *image;
	uint32_t row, i;
	int err = image_get(g, number, &image);

	if (err)
		return err;
	row = flt_map_set_find(image->maps, address);
	if (row == NONE || row == OTHERS ||
	    (g->rows[row].area.inode == inode && g->rows[row].area.device == device))
		return 0;
	for (i = g->count; i-- > 1;) {
		a = &g->rows[i].area;
		if (g->rows[i].image != number || a->start > address || a->end <= address ||
		    a->inode != inode || a->device != device)
			continue;
		err = flt_map_set_change(&image->maps, a->start, a->end, i);
		return err == -E2BIG ? 0 : err;
	}
	return 0;
}

static int special(struct flt_regions *g, uint32_t image, enum flt_region_of of, uint32_t *slot,
		   uint32_t *row)
{
	const struct flt_region_area area = { .of = (uint8_t)of, .name = "" };
	int err = 0;

	if (!*slot)
		err = row_add(g, image, &area, slot);
	*row = *slot;
	return err;
}

static int row_of(struct flt_regions *g, const struct flt_fault *f, uint32_t *row)
{
	struct flt_region_image *image;
	struct flt_region_area area;
	const char *path;
	int err = image_get(g, f->image, &image);

	if (err)
		return err;
	if (f->flags & FLT_FAULT_REMOTE)
		return special(g, f->image, FLT_REGION_REMOTE, &image->remote, row);
	*row = flt_map_set_find(image->maps, f->address);
	if (*row == NONE)
		return special(g, f->image, FLT_REGION_UNKNOWN, &image->unknown, row);
	if (*row == OTHERS || g->rows[*row].image == f->image)
		return 0;
	/* The mapping was inherited by fork(): make a region of the child. */
	area = g->rows[*row].area;
	path = g->rows[*row].path;
	err = row_add(g, f->image, &area, row);
	if (err)
		return err;
	if (*row != OTHERS)
		g->rows[*row].path = path;
	err = flt_map_set_change(&image->maps, area.start, area.end, *row);
	return err == -E2BIG ? 0 : err;
}

/* Return true if faults of this kind make a page present. Other faults cannot be refaults. */
static bool brings_in(unsigned int kind)
{
	return kind == FLT_KIND_ANON || kind == FLT_KIND_HUGE || kind == FLT_KIND_FILE ||
	       kind == FLT_KIND_SHARED || kind == FLT_KIND_SWAP || kind == FLT_KIND_UFFD ||
	       kind == FLT_KIND_HUGETLB || kind == FLT_KIND_UNKNOWN;
}

static bool is_refault(const struct flt_fault *f, int64_t fresh)
{
	if (f->flags & (FLT_FAULT_ALLOC | FLT_FAULT_REFAULT))
		return f->flags & FLT_FAULT_REFAULT;
	/* A page that is in swap was in memory before. */
	return f->kind == FLT_KIND_SWAP || (!fresh && brings_in(f->kind));
}

int flt_regions_fault(struct flt_regions *g, const struct flt_fault *f)
{
	uint64_t page = f->address >> g->page.shift;
	struct flt_visit touch = { .thread = f->tid, .pages = 1, .around = 1 };
	struct flt_region *r;
	int64_t fresh;
	uint32_t row;
	int err = row_of(g, f, &row);

	if (err)
		return err;
	r = &g->rows[row];
	if (f->flags & FLT_FAULT_FAILED) {
		r->failed += f->weight;
		return 0;
	}
	if (f->kind == FLT_KIND_HUGE) {
		touch.pages = g->page.huge;
		page &= ~(uint64_t)(g->page.huge - 1);
	} else if (f->pages > 1) {
		touch.pages = f->pages < FAULT_PAGES_MAX ? f->pages : FAULT_PAGES_MAX;
	}
	fresh = flt_page_set_add(&r->touched, page, touch.pages, &g->touched_budget);
	if (fresh == -ENOMEM)
		return -ENOMEM;
	if (fresh < 0) {
		g->unknown_reuse += f->weight;
		fresh = touch.pages;
	}
	touch.page = page;
	touch.refault = is_refault(f, fresh);
	if (f->kind == FLT_KIND_FILE ||
	    (f->kind == FLT_KIND_UNKNOWN && r->area.of == FLT_AREA_FILE))
		touch.around = g->around;

	if (!flt_region_faults(r))
		r->first = f->time;
	if (!r->path)
		r->path = path_of(g, &r->area);
	r->last = f->time;
	r->kinds[f->kind <= FLT_KIND_MAX ? f->kind : FLT_KIND_UNKNOWN] += f->weight;
	if (f->flags & FLT_FAULT_MAJOR)
		r->major += f->weight;
	else
		r->minor += f->weight;
	if (touch.refault)
		r->refaults += f->weight;
	r->latency += (uint64_t)f->latency * f->weight;
	r->pages += (uint64_t)touch.pages * f->weight;
	r->distinct += (uint64_t)fresh;
	if (!r->pattern)
		r->pattern = flt_pattern_new();
	if (!r->pattern)
		return -ENOMEM;
	flt_pattern_add(r->pattern, &touch);
	return flt_heat_add(&g->heat, row, page, f->time, f->weight, touch.refault);
}
