// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/recording.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/array.h"
#include "model/recording/mapset.h"
#include "model/recording/strings.h"

/* Limits of memory for malicious files. */
#define STRING_BYTES_MAX (256u << 20)
#define MAPS_MAX (8u << 20)
#define OBJECTS_MAX (1u << 20)
#define STATS_MAX (1u << 22)
#define INFO_MAX 1024u
#define MOVES_MAX (1u << 22)

static int object_add(struct flt_recording *rec, const struct flt_object *object, uint32_t *index)
{
	struct flt_object *old;
	uint32_t i;
	int err;

	/* Search from the end, because most maps belong to an object that was added recently. */
	for (i = rec->object_count; i-- > 1;) {
		old = &rec->objects[i];
		if (old->name == object->name && old->kind == object->kind &&
		    old->pid == object->pid && old->data == object->data &&
		    old->build_id_size == object->build_id_size &&
		    !memcmp(old->build_id, object->build_id, sizeof(old->build_id))) {
			if (object->text < old->text)
				old->text = object->text;
			*index = i;
			return 0;
		}
		/* Stop early, so that a malicious file cannot take quadratic time. */
		if (rec->object_count - i > 4096)
			break;
	}
	if (rec->object_count >= OBJECTS_MAX)
		return -E2BIG;
	err = flt_array_grow((void **)&rec->objects, rec->object_count, &rec->object_room,
			     sizeof(*object));
	if (err)
		return err;
	*index = rec->object_count;
	rec->objects[rec->object_count++] = *object;
	return 0;
}

int flt_recording_new(struct flt_recording **out)
{
	struct flt_recording *rec = calloc(1, sizeof(*rec));
	struct flt_object unknown = { .kind = FLT_OBJECT_UNKNOWN, .name = "" };
	uint32_t index;

	if (!rec)
		return -ENOMEM;
	rec->page = flt_page_size_of(0, 0);
	rec->map_budget = FLT_MAP_SET_COPIED;
	rec->strings = flt_strings_new(STRING_BYTES_MAX);
	rec->place_count = 1;
	if (!rec->strings || object_add(rec, &unknown, &index)) {
		flt_recording_free(rec);
		return -ENOMEM;
	}
	*out = rec;
	return 0;
}

void flt_recording_free(struct flt_recording *rec)
{
	uint32_t i;

	if (!rec)
		return;
	for (i = 0; i < rec->image_room; i++) {
		if (!rec->images[i])
			continue;
		flt_map_set_put(rec->images[i]->maps);
		free(rec->images[i]->nodes);
		free(rec->images[i]);
	}
	free(rec->images);
	free(rec->maps);
	free(rec->objects);
	free(rec->places);
	flt_index_free(&rec->place_index);
	free(rec->stats);
	free(rec->moves);
	free(rec->replaced);
	free(rec->info);
	flt_name_table_free(&rec->comms);
	flt_strings_free(rec->strings);
	free(rec);
}

static struct flt_image *image_find(const struct flt_recording *rec, uint32_t id)
{
	return id < rec->image_room ? rec->images[id] : NULL;
}

const struct flt_image *flt_recording_image(const struct flt_recording *rec, uint32_t id)
{
	return image_find(rec, id);
}

int flt_recording_get(struct flt_recording *rec, uint32_t id, struct flt_image **out)
{
	struct flt_image **images, *image;
	uint32_t room;

	*out = image_find(rec, id);
	if (*out)
		return 0;
	if (!id || id > FLT_IMAGES_MAX)
		return -E2BIG;
	if (id >= rec->image_room) {
		for (room = rec->image_room ? rec->image_room : 64; room <= id; room *= 2)
			;
		images = reallocarray(rec->images, room, sizeof(struct flt_image *));
		if (!images)
			return -ENOMEM;
		memset(images + rec->image_room, 0,
		       (room - rec->image_room) * sizeof(struct flt_image *));
		rec->images = images;
		rec->image_room = room;
	}
	image = calloc(1, sizeof(*image));
	if (!image)
		return -ENOMEM;
	image->id = id;
	image->comm = "";
	image->maps = flt_map_set_new(&rec->map_budget);
	if (!image->maps) {
		free(image);
		return -ENOMEM;
	}
	*out = rec->images[id] = image;
	return 0;
}

static int text_keep(struct flt_recording *rec, const char *text, const char **kept)
{
	*kept = flt_strings_add(rec->strings, text);
	return *kept ? 0 : -E2BIG;
}

static int image_record(struct flt_recording *rec, const struct flt_record_image *r)
{
	struct flt_image *image, *parent;
	int err;

	if (image_find(rec, r->head.image)) {
		rec->strange++;
		return 0;
	}
	err = flt_recording_get(rec, r->head.image, &image);
	if (!err)
		err = text_keep(rec, (const char *)(r + 1), &image->comm);
	if (err)
		return err;
	image->pid = r->pid;
	image->ppid = r->ppid;
	image->parent = r->parent;
	image->cause = r->cause;
	image->begin = r->head.time;
	parent = image_find(rec, r->parent);
	if (parent)
		image->cgroup = parent->cgroup;
	if (parent && r->cause == FLT_IMAGE_FORK) {
		flt_map_set_put(image->maps);
		image->maps = flt_map_set_get(parent->maps);
	}
	if (parent && r->cause == FLT_IMAGE_EXEC) {
		parent->end = r->head.time;
		if (!image->ppid)
			image->ppid = parent->ppid;
	}
	return 0;
}

static int comm_record(struct flt_recording *rec, const struct flt_record *r)
{
	struct flt_image *image;
	const char *comm;
	int err = flt_recording_get(rec, r->image, &image);

	rec->comm_total++;
	if (!err)
		err = text_keep(rec, (const char *)(r + 1), &comm);
	if (err)
		return err;
	if (r->tid == image->pid)
		image->comm = comm;
	return flt_name_table_set(&rec->comms, r->image, r->tid, comm);
}

static int cgroup_record(struct flt_recording *rec, const struct flt_record *r)
{
	struct flt_image *image;
	int err = flt_recording_get(rec, r->image, &image);

	return err ? err : text_keep(rec, (const char *)(r + 1), &image->cgroup);
}

static enum flt_object_kind object_kind(const char *name)
{
	if (name[0] == '/' && name[1] != '/' && strncmp(name, "/memfd:", 7) &&
	    strncmp(name, "/dev/zero", 9))
		return FLT_OBJECT_FILE;
	return strcmp(name, "[vdso]") ? FLT_OBJECT_ANON : FLT_OBJECT_VDSO;
}

/* Return true for the library that `fltctl record -L` preloads (cmd/record/target.c). */
static bool is_recorder(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash && !strcmp(slash + 1, "libfltrec.so");
}

static int map_record(struct flt_recording *rec, const struct flt_record_map *r)
{
	struct flt_object object = { .build_id_size = r->build_id_size };
	struct flt_image *image;
	struct flt_map *map;
	uint32_t index;
	int err = flt_recording_get(rec, r->head.image, &image);

	if (!err)
		err = text_keep(rec, (const char *)(r + 1), &object.name);
	if (err)
		return err;
	object.kind = object_kind(object.name);
	object.data = !(r->flags & FLT_MAP_EXEC);
	object.own = object.kind == FLT_OBJECT_FILE && is_recorder(object.name);
	rec->has_own |= object.own;
	object.text = r->offset;
	object.pid = object.kind == FLT_OBJECT_ANON ? image->pid : 0;
	memcpy(object.build_id, r->build_id, r->build_id_size);
	err = object_add(rec, &object, &index);
	if (err)
		return err;
	if (rec->map_count >= MAPS_MAX)
		return -E2BIG;
	err = flt_recording_replace(rec, image, r);
	if (!err)
		err = flt_array_grow((void **)&rec->maps, rec->map_count, &rec->map_room,
				     sizeof(*map));
	if (err)
		return err;
	map = &rec->maps[rec->map_count];
	*map = flt_map_of_record(r, object.name);
	map->object = index;
	image->map_changes++;
	err = flt_map_set_change(&image->maps, r->start, r->end, rec->map_count++);
	if (err == -E2BIG) {
		rec->strange++;
		err = 0;
	}
	return err;
}

static int unmap_record(struct flt_recording *rec, const struct flt_record_unmap *r)
{
	struct flt_image *image;
	int err = flt_recording_get(rec, r->head.image, &image);

	if (err)
		return err;
	image->map_changes++;
	err = flt_map_set_change(&image->maps, r->start, r->end, ~0u);
	if (err == -E2BIG) {
		rec->strange++;
		err = 0;
	}
	return err;
}

/* Append a copy of a record to a list of records of this size. */
static int append(void **list, uint32_t *count, uint32_t *room, uint32_t max, const void *record,
		  size_t size)
{
	int err;

	if (*count >= max)
		return -E2BIG;
	err = flt_array_grow(list, *count, room, size);
	if (err)
		return err;
	memcpy((char *)*list + size * (*count)++, record, size);
	return 0;
}

const char *flt_recording_info(const struct flt_recording *rec, const char *key)
{
	size_t n = strlen(key), i;

	for (i = 0; i < rec->info_count; i++)
		if (!strncmp(rec->info[i], key, n) && rec->info[i][n] == '=')
			return rec->info[i] + n + 1;
	return NULL;
}

/* Return the number of a key, or 0 if it is missing or not a decimal number. */
static uint64_t info_number(const struct flt_recording *rec, const char *key)
{
	const char *text = flt_recording_info(rec, key);
	unsigned long long n;
	char *end;

	if (!text || !isdigit((unsigned char)*text))
		return 0;
	/* Past the limit strtoull() returns ULLONG_MAX, which is no size of pages either. */
	n = strtoull(text, &end, 10);
	return *end ? 0 : n;
}

static int info_record(struct flt_recording *rec, const struct flt_record *r)
{
	const char **info;
	int err;

	if (rec->info_count >= INFO_MAX) {
		rec->strange++;
		return 0;
	}
	info = reallocarray(rec->info, rec->info_count + 1, sizeof(*info));
	if (!info)
		return -ENOMEM;
	rec->info = info;
	err = text_keep(rec, (const char *)(r + 1), &rec->info[rec->info_count]);
	rec->info_count += !err;
	rec->page = flt_page_size_of(info_number(rec, "page_size"),
				     info_number(rec, "huge_page_size"));
	return err;
}

struct flt_page_size flt_recording_page_size(const struct flt_recording *rec)
{
	return rec->page;
}

int flt_recording_record(struct flt_recording *rec, const struct flt_record *r)
{
	struct flt_image *image;

	switch (r->type) {
	case FLT_RECORD_INFO:
		return info_record(rec, r);
	case FLT_RECORD_IMAGE:
		return image_record(rec, (const void *)r);
	case FLT_RECORD_THREAD:
	case FLT_RECORD_COMM:
		return comm_record(rec, r);
	case FLT_RECORD_CGROUP:
		return cgroup_record(rec, r);
	case FLT_RECORD_EXIT:
		image = image_find(rec, r->image);
		if (image && !r->tid)
			image->end = r->time;
		return 0;
	case FLT_RECORD_MAP:
		return map_record(rec, (const void *)r);
	case FLT_RECORD_UNMAP:
		return unmap_record(rec, (const void *)r);
	case FLT_RECORD_MOVE:
		return append((void **)&rec->moves, &rec->move_count, &rec->move_room, MOVES_MAX,
			      r, sizeof(*rec->moves));
	case FLT_RECORD_STATS:
		return append((void **)&rec->stats, &rec->stats_count, &rec->stats_room, STATS_MAX,
			      r, sizeof(*rec->stats));
	case FLT_RECORD_END:
		rec->end = *(const struct flt_record_end *)(const void *)r;
		return 0;
	default:
		return 0;
	}
}

const char *flt_recording_comm(const struct flt_recording *rec, uint32_t image, uint32_t tid)
{
	const char *comm = flt_name_table_get(&rec->comms, image, tid);
	const struct flt_image *i = image_find(rec, image);

	return comm ? comm : i ? i->comm : "";
}
