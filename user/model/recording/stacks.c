// SPDX-License-Identifier: GPL-2.0-or-later
/* The stacks of a recording, and the places of their addresses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/fault.h"
#include "index/array.h"
#include "model/recording/mapset.h"
#include "model/recording/recording.h"

/* Limit of memory for malicious files. */
#define NODES_TOTAL_MAX (32ull << 20)
/* No code is mapped below this address: the size of the smallest page of any machine. */
#define FIRST_PAGE 4096u

const struct flt_map *flt_recording_map(const struct flt_recording *rec, uint32_t id,
					uint64_t address)
{
	const struct flt_image *image = flt_recording_image(rec, id);
	uint32_t map = image ? flt_map_set_find(image->maps, address) : ~0u;

	return map == ~0u ? NULL : &rec->maps[map];
}

static int place_add(struct flt_recording *rec, uint32_t object, uint64_t offset, uint32_t *index)
{
	uint32_t hash = flt_index_hash(object, offset);
	struct flt_index_search s = flt_index_search(hash);
	struct flt_place *place;
	int err;

	while (flt_index_next(&rec->place_index, &s, index)) {
		place = &rec->places[*index];
		if (place->object == object && place->offset == offset)
			return 0;
	}
	if (rec->place_count >= NODES_TOTAL_MAX)
		return -E2BIG;
	err = flt_array_grow((void **)&rec->places, rec->place_count, &rec->place_room,
			     sizeof(*place));
	if (err)
		return err;
	err = flt_index_add(&rec->place_index, hash, rec->place_count);
	if (err)
		return err;
	*index = rec->place_count;
	rec->places[rec->place_count++] = (struct flt_place){ object, offset };
	return 0;
}

int flt_recording_place(struct flt_recording *rec, uint32_t image, uint64_t address,
			uint32_t *place)
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
			for (room = image->node_room ? image->node_room : 64; room < nodes[i].id;
			     room *= 2)
				;
			rec->node_total += room - image->node_room;
			if (rec->node_total > NODES_TOTAL_MAX)
				return -E2BIG;
			more = reallocarray(image->nodes, room, sizeof(*more));
			if (!more)
				return -ENOMEM;
			memset(more + image->node_room, 0,
			       (room - image->node_room) * sizeof(*more));
			image->nodes = more;
			image->node_room = room;
		}
		if (nodes[i].id > image->node_count)
			image->node_count = nodes[i].id;
		node = &image->nodes[nodes[i].id - 1];
		if (node->place) {	/* a duplicate */
			rec->strange++;
			continue;
		}
		node->address = nodes[i].address;
		node->parent = nodes[i].parent;
		/*
		 * Look up the call, which ends before the return address. If a call is the last
		 * instruction of a function, the return address is in the next function.
		 */
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
			err = flt_recording_place(rec, i, image->nodes[k].address - 1,
						  &image->nodes[k].place);
			if (err)
				return err;
		}
	}
	return 0;
}

/*
 * Return false if the node cannot be code. The stack ends there, because unwinding by frame
 * pointers follows wrong addresses in code without frame pointers.
 */
static bool is_code(const struct flt_recording *rec, const struct flt_node *node)
{
	const struct flt_place *place = &rec->places[node->place];

	return node->address >= FIRST_PAGE && !rec->objects[place->object].data;
}

/* Return a node of the image, or NULL at the end of the stack. */
static const struct flt_node *node_at(const struct flt_recording *rec,
				      const struct flt_image *image, uint32_t stack)
{
	const struct flt_node *node;

	if (!image || !stack || stack > image->node_count)
		return NULL;
	node = &image->nodes[stack - 1];
	return node->place && is_code(rec, node) ? node : NULL;
}

bool flt_recording_hides(const struct flt_recording *rec, uint32_t place)
{
	return rec->hides_own && rec->objects[rec->places[place].object].own;
}

void flt_recording_leave_own(const struct flt_recording *rec, struct flt_fault *f)
{
	const struct flt_image *image = flt_recording_image(rec, f->image);
	const struct flt_node *node;
	const struct flt_map *map;

	if (!rec->hides_own || !rec->has_own)
		return;
	map = flt_recording_map(rec, f->image, f->ip);
	if (!map || !rec->objects[map->object].own)
		return;
	while ((node = node_at(rec, image, f->stack)) && flt_recording_hides(rec, node->place)) {
		f->ip = node->address - 1;
		f->stack = node->parent;
	}
}

size_t flt_recording_stack(const struct flt_recording *rec, uint32_t id, uint32_t stack,
			   uint32_t *places, uint64_t *addresses, size_t room)
{
	const struct flt_image *image = flt_recording_image(rec, id);
	const struct flt_node *node, *caller;
	size_t n = 0;

	/* The loop ends, because the ID of a parent is less than the ID of its child. */
	for (node = node_at(rec, image, stack); node && n < room; node = caller) {
		caller = node_at(rec, image, node->parent);
		if (caller && flt_recording_hides(rec, node->place) &&
		    flt_recording_hides(rec, caller->place))
			continue;
		places[n] = node->place;
		if (addresses)
			addresses[n] = node->address;
		n++;
	}
	return n;
}
