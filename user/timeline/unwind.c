// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/unwind.h"

#include <errno.h>
#include <stdlib.h>

#include "model/recording/mapset.h"
#include "source/unwind/tables.h"
#include "timeline/setup.h"

/* Number of images in the cache. */
#define KEPT 32

struct cached {
	uint32_t image;		/* 0: free */
	uint32_t changes;	/* flt_image.map_changes when the mappings were added */
	uint64_t used;		/* flt_unwind_cache.clock at the last use */
	struct flt_unwind *unwind;
};

struct flt_unwind_cache {
	const struct flt_recording *rec;
	enum flt_unwind_library library;
	struct flt_unwind_store *store;
	uint64_t clock;			/* counts uses */
	struct cached kept[KEPT];
};

int flt_unwind_cache_new(struct flt_unwind_cache **out, const struct flt_recording *rec,
			 enum flt_unwind_by by)
{
	struct flt_unwind_cache *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->rec = rec;
	l->library = by == FLT_UNWIND_BY_LIBDW ? FLT_UNWIND_LIBDW : FLT_UNWIND_LIBUNWIND;
	l->store = flt_unwind_store_new();
	if (!l->store) {
		free(l);
		return -ENOMEM;
	}
	*out = l;
	return 0;
}

void flt_unwind_cache_free(struct flt_unwind_cache *l)
{
	size_t i;

	if (!l)
		return;
	for (i = 0; i < KEPT; i++)
		flt_unwind_free(l->kept[i].unwind);
	flt_unwind_store_free(l->store);
	free(l);
}

/* Add the executable mappings of an image to its unwinder. */
static void add_maps(struct flt_unwind_cache *l, struct cached *u, const struct flt_image *image)
{
	const struct flt_map *map;
	uint32_t i, index;

	for (i = 0; (index = flt_map_set_piece(image->maps, i)) != ~0u; i++) {
		map = &l->rec->maps[index];
		if (map->flags & FLT_MAP_EXEC)
			flt_unwind_map(u->unwind, map->start, map->offset, map->name);
	}
	u->changes = image->map_changes;
}

/* Return the unwinder of an image, or NULL. Evict the least recently used one for a new image. */
static struct flt_unwind *get(struct flt_unwind_cache *l, uint32_t id)
{
	const struct flt_image *image = flt_recording_image(l->rec, id);
	struct cached *u = &l->kept[0];
	size_t i;

	if (!image)
		return NULL;
	for (i = 0; i < KEPT && u->image != id; i++)
		if (l->kept[i].image == id || l->kept[i].used < u->used)
			u = &l->kept[i];
	if (u->image != id) {
		flt_unwind_free(u->unwind);
		*u = (struct cached){
			.image = id, .changes = ~image->map_changes,
			.unwind = flt_unwind_new(l->library, l->store),
		};
	}
	u->used = ++l->clock;
	if (u->unwind && u->changes != image->map_changes)
		add_maps(l, u, image);
	return u->unwind;
}

size_t flt_unwind_cache_run(struct flt_unwind_cache *l, uint32_t image,
			    const struct flt_unwind_sample *sample, uint64_t *addresses,
			    size_t room, uint8_t *cut)
{
	struct flt_unwind *unwind = get(l, image);
	size_t n = 0;

	*cut = FLT_TIMELINE_CUT_UNWIND;
	if (unwind)
		n = flt_unwind_run(unwind, sample, addresses, room);
	if (!n) {
		addresses[n++] = sample->regs[FLT_UNWIND_IP];
		return n;
	}
	if (n == room)
		*cut = FLT_CUT_DEPTH;
	else if (!flt_unwind_stopped(unwind))
		*cut = FLT_CUT_NONE;
	else if (!sample->size)
		*cut = FLT_CUT_MEMORY;
	return n;
}
