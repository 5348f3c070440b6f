// SPDX-License-Identifier: GPL-2.0-or-later
/* Recording: which code an address is, and the stacks made of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/array.h"
#include "model/recording/mapset.h"
#include "model/recording/recording.h"

/* Bound for files that were not made by our writer. */
#define NODES_TOTAL_MAX (32ull << 20)
/* Nothing is mapped below it. */
#define FIRST_PAGE 4096u

const struct flt_map *flt_recording_map(const struct flt_recording *rec, uint32_t id, uint64_t address)
{
	const struct flt_image *image = flt_recording_image(rec, id);
	uint32_t map = image ? flt_map_set_find(image->maps, address) : ~0u;

	return map == ~0u ? NULL : &rec->maps[map];
}

static uint32_t place_hash(uint32_t object, uint64_t offset)
{
	uint64_t h = (offset ^ (uint64_t)object << 40) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static int place_slots_grow(struct flt_recording *rec)
{
	uint32_t mask = rec->place_mask * 2 + 1, i, at;
	uint32_t *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 1; i < rec->place_count; i++) {
		at = place_hash(rec->places[i].object, rec->places[i].offset) & mask;
		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = i;
	}
	free(rec->place_slots);
	rec->place_slots = slots;
	rec->place_mask = mask;
	return 0;
}

static int place_add(struct flt_recording *rec, uint32_t object, uint64_t offset, uint32_t *index)
{
	struct flt_place *place;
	uint32_t at;
	int err;

	if (rec->place_count * 2ull > rec->place_mask) {
		err = place_slots_grow(rec);
		if (err)
			return err;
	}
	for (at = place_hash(object, offset) & rec->place_mask; rec->place_slots[at]; at = (at + 1) & rec->place_mask) {
		place = &rec->places[rec->place_slots[at]];
		if (place->object == object && place->offset == offset) {
			*index = rec->place_slots[at];
			return 0;
		}
	}
	if (rec->place_count >= NODES_TOTAL_MAX)
		return -E2BIG;
	err = flt_array_grow((void **)&rec->places, rec->place_count, &rec->place_room, sizeof(*place));
	if (err)
		return err;
	*index = rec->place_slots[at] = rec->place_count;
	rec->places[rec->place_count++] = (struct flt_place){ object, offset };
	return 0;
}

int flt_recording_place(struct flt_recording *rec, uint32_t image, uint64_t address, uint32_t *place)
{
	const struct flt_map *map = flt_recording_map(rec, image, address);
	enum flt_object_kind kind = map ? rec->objects[map->object].kind : FLT_OBJECT_UNKNOWN;

	if (kind == FLT_OBJECT_UNKNOWN || kind == FLT_OBJECT_ANON)
		return place_add(rec, map ? map->object : 0, address, place);
	return place_add(rec, map->object, address - map->start + map->offset, place);
}

int flt_recording_nodes(struct flt_recording *rec, const struct flt_file_node *nodes, size_t n)
{
	struct flt_image *image = NULL;
	struct flt_node *more, *node;
	uint32_t room;
	size_t i;
	int err;

	for (i = 0; i < n; i++) {
		if (nodes[i].id > FLT_STACK_NODES_MAX)
			return -E2BIG;
		if (!image || image->id != nodes[i].image) {
			err = flt_recording_get(rec, nodes[i].image, &image);
			if (err)
				return err;
		}
		if (nodes[i].id > image->node_room) {
			for (room = image->node_room ? image->node_room : 64; room < nodes[i].id; room *= 2)
				;
			rec->node_total += room - image->node_room;
			if (rec->node_total > NODES_TOTAL_MAX)
				return -E2BIG;
			more = reallocarray(image->nodes, room, sizeof(*more));
			if (!more)
				return -ENOMEM;
			memset(more + image->node_room, 0, (room - image->node_room) * sizeof(*more));
			image->nodes = more;
			image->node_room = room;
		}
		if (nodes[i].id > image->node_count)
			image->node_count = nodes[i].id;
		node = &image->nodes[nodes[i].id - 1];
		if (node->place) {	/* said twice */
			rec->strange++;
			continue;
		}
		node->address = nodes[i].address;
		node->parent = nodes[i].parent;
		/* The call lies before the return address, perhaps as the last of its function. */
		err = flt_recording_place(rec, image->id, node->address - 1, &node->place);
		if (err)
			return err;
	}
	return 0;
}

int flt_recording_settle(struct flt_recording *rec)
{
	struct flt_image *image;
	uint32_t i, k;
	int err;

	for (i = 0; i < rec->image_room; i++) {
		image = rec->images[i];
		for (k = 0; image && k < image->node_count; k++) {
			if (!image->nodes[k].place || rec->places[image->nodes[k].place].object)
				continue;
			err = flt_recording_place(rec, i, image->nodes[k].address - 1, &image->nodes[k].place);
			if (err)
				return err;
		}
	}
	return 0;
}

/*
 * Unwinding by frame pointers goes astray in code that has none, and ends in
 * data: what is known to be no code ends the stack.
 */
static bool is_code(const struct flt_recording *rec, const struct flt_node *node)
{
	const struct flt_place *place = &rec->places[node->place];

	return node->address >= FIRST_PAGE && !rec->objects[place->object].data;
}

size_t flt_recording_stack(const struct flt_recording *rec, uint32_t id, uint32_t stack, uint32_t *places,
			   uint64_t *addresses, size_t room)
{
	const struct flt_image *image = flt_recording_image(rec, id);
	const struct flt_node *node;
	size_t n = 0;

	/* A parent's id is less than its child's: this ends. */
	while (image && stack && stack <= image->node_count && n < room) {
		node = &image->nodes[stack - 1];
		if (!node->place || !is_code(rec, node))
			break;
		places[n] = node->place;
		if (addresses)
			addresses[n] = node->address;
		n++;
		stack = node->parent;
	}
	return n;
}
