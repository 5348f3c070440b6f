// SPDX-License-Identifier: GPL-2.0-or-later
/* Write the maps of a running process, from /proc. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/file/writer.h"

/* Limit of mappings per process; further ones are ignored. */
#define AREAS_MAX 200000u

/* Parse a line of /proc/PID/maps. Return false if it is not valid. */
static bool line_parse(char *line, struct flt_record_map *map, const char **name)
{
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	char mode[5];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, mode, &offset, &major,
		   &minor, &inode, &at) < 7)
		return false;
	memset(map, 0, sizeof(*map));
	map->start = start;
	map->end = end;
	map->offset = offset;
	map->inode = inode;
	map->device = major << 20 | (minor & 0xfffff);
	map->flags = (mode[0] == 'r' ? FLT_MAP_READ : 0) | (mode[1] == 'w' ? FLT_MAP_WRITE : 0) |
		     (mode[2] == 'x' ? FLT_MAP_EXEC : 0) | (mode[3] == 's' ? FLT_MAP_SHARED : 0);
	line[strcspn(line, "\n")] = '\0';
	*name = line + at;
	return start < end;
}

static bool area_same(const struct flt_file_area *area, const struct flt_record_map *map,
		      const char *name)
{
	const struct flt_record_map *old = &area->map;

	return old->start == map->start && old->end == map->end && old->offset == map->offset &&
	       old->inode == map->inode && old->device == map->device &&
	       old->flags == map->flags && !strcmp(area->name, name);
}

static int area_order(const void *key, const void *element)
{
	const struct flt_file_area *a = key, *b = element;

	return a->map.start < b->map.start ? -1 : a->map.start > b->map.start;
}

/* Mark all areas that have not changed as seen, in both arrays. */
static void areas_compare(const struct flt_file_image *image, struct flt_file_area *now, size_t n)
{
	struct flt_file_area *old;
	size_t i;

	for (i = 0; image->area_count && i < n; i++) {
		old = bsearch(&now[i], image->areas, image->area_count, sizeof(*old), area_order);
		if (old && area_same(old, &now[i].map, now[i].name))
			now[i].seen = old->seen = true;
	}
}

static int areas_write(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid,
		       struct flt_file_area *now, size_t n)
{
	struct flt_file_image *i = flt_file_image_get(w, image);
	struct flt_file_area *old;
	size_t k;
	int err;

	areas_compare(i, now, n);
	/* Write removed mappings before the mappings that replace them. */
	for (k = 0; k < i->area_count; k++) {
		old = &i->areas[k];
		if (old->seen)
			continue;
		err = flt_file_unmap(w, time, image, old->map.start, old->map.end);
		if (err)
			return err;
	}
	for (k = 0; k < n; k++) {
		if (now[k].seen)
			continue;
		now[k].map.head.time = time;
		now[k].map.head.image = image;
		flt_build_ids_set(&w->build_ids, pid, &now[k].map, now[k].name);
		err = flt_file_map(w, &now[k].map, now[k].name);
		if (err)
			return err;
	}
	return 0;
}

struct area_list {
	struct flt_file_area *areas;
	size_t count, room;
};

static void areas_free(struct flt_file_area *areas, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(areas[i].name);
	free(areas);
}

static int area_add(struct area_list *list, const struct flt_record_map *map, const char *name)
{
	size_t room = list->room ? 2 * list->room : 64;
	struct flt_file_area *areas;

	if (list->count == list->room) {
		areas = reallocarray(list->areas, room, sizeof(*areas));
		if (!areas)
			return -ENOMEM;
		list->areas = areas;
		list->room = room;
	}
	areas = &list->areas[list->count];
	*areas = (struct flt_file_area){ .map = *map, .name = strdup(name) };
	if (!areas->name)
		return -ENOMEM;
	list->count++;
	return 0;
}

static int areas_read(uint32_t pid, struct area_list *list)
{
	struct flt_record_map map;
	char path[64], *line = NULL;
	const char *name;
	size_t line_room = 0;
	FILE *file;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && getline(&line, &line_room, file) > 0 && list->count < AREAS_MAX)
		if (line_parse(line, &map, &name))
			err = area_add(list, &map, name);
	free(line);
	fclose(file);
	/* The list of an exiting process is empty. */
	return err || list->count ? err : -ESRCH;
}

int flt_file_maps_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid)
{
	struct flt_file_image *i = flt_file_image_get(w, image);
	struct area_list now = { 0 };
	size_t k;
	int err;

	if (!i)
		return -EINVAL;
	err = areas_read(pid, &now);
	if (!err)
		err = areas_write(w, time, image, pid, now.areas, now.count);
	if (err) {
		areas_free(now.areas, now.count);
		return err;
	}
	areas_free(i->areas, i->area_count);
	for (k = 0; k < now.count; k++)
		now.areas[k].seen = false;
	i->areas = now.areas;
	i->area_count = now.count;
	return 0;
}
