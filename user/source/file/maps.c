// SPDX-License-Identifier: GPL-2.0-or-later
/* Writer of trace files: the maps of a live process, from /proc. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/file/writer.h"

/* Areas of one process beyond this are left out. */
#define AREAS_MAX 200000u

/* One line of /proc/PID/maps; false if it is not one. */
static bool line_parse(char *line, struct flt_record_map *map, const char **name)
{
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	char mode[5];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, mode, &offset, &major, &minor, &inode, &at) < 7)
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

static bool area_same(const struct flt_file_area *old, const struct flt_record_map *map, const char *name)
{
	return old->map.start == map->start && old->map.end == map->end && old->map.offset == map->offset &&
	       old->map.inode == map->inode && old->map.device == map->device && old->map.flags == map->flags &&
	       !strcmp(old->name, name);
}

static int area_order(const void *key, const void *element)
{
	const struct flt_file_area *a = key, *b = element;

	return a->map.start < b->map.start ? -1 : a->map.start > b->map.start;
}

static int areas_write(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid,
		       struct flt_file_area *fresh, size_t n)
{
	struct flt_file_image *i = flt_file_image_get(w, image);
	struct flt_file_area *old;
	size_t k;
	int err;

	for (k = 0; k < n; k++) {
		old = i->area_count ? bsearch(&fresh[k], i->areas, i->area_count, sizeof(*old), area_order) : NULL;
		if (old && area_same(old, &fresh[k].map, fresh[k].name))
			fresh[k].seen = old->seen = true;
	}
	/* What went, before what came in its place. */
	for (k = 0; k < i->area_count; k++) {
		old = &i->areas[k];
		if (old->seen)
			continue;
		err = flt_file_unmap(w, time, image, old->map.start, old->map.end);
		if (err)
			return err;
	}
	for (k = 0; k < n; k++) {
		if (fresh[k].seen)
			continue;
		fresh[k].map.head.time = time;
		fresh[k].map.head.image = image;
		flt_build_ids_set(&w->build_ids, pid, &fresh[k].map, fresh[k].name);
		err = flt_file_map(w, &fresh[k].map, fresh[k].name);
		if (err)
			return err;
	}
	return 0;
}

int flt_file_maps_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid)
{
	struct flt_file_image *i = flt_file_image_get(w, image);
	struct flt_file_area *fresh = NULL, *more;
	size_t n = 0, room = 0, line_room = 0, k;
	struct flt_record_map map;
	char path[64], *line = NULL;
	const char *name;
	FILE *file;
	int err = 0;

	if (!i)
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	while (getline(&line, &line_room, file) > 0 && n < AREAS_MAX) {
		if (!line_parse(line, &map, &name))
			continue;
		if (n == room) {
			more = reallocarray(fresh, room ? room * 2 : 64, sizeof(*fresh));
			if (!more) {
				err = -ENOMEM;
				break;
			}
			fresh = more;
			room = room ? room * 2 : 64;
		}
		fresh[n] = (struct flt_file_area){ .map = map, .name = strdup(name) };
		if (!fresh[n++].name) {
			err = -ENOMEM;
			break;
		}
	}
	/* An exiting process has an empty list: nothing to learn from it. */
	if (!err && !n)
		err = -ESRCH;
	if (!err)
		err = areas_write(w, time, image, pid, fresh, n);
	if (err) {
		for (k = 0; k < n; k++)
			free(fresh[k].name);
		free(fresh);
	} else {
		for (k = 0; k < i->area_count; k++)
			free(i->areas[k].name);
		free(i->areas);
		for (k = 0; k < n; k++)
			fresh[k].seen = false;
		i->areas = fresh;
		i->area_count = n;
	}
	free(line);
	fclose(file);
	return err;
}
