// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/perfmap.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/code/jitfile.h"
#include "index/array.h"

#define ENTRIES_MAX (4u << 20)

struct entry {
	uint64_t start, end;
	size_t order;
	char *name;
};

struct flt_perf_map {
	struct entry *entries;
	uint32_t count, room;
};

static int entry_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void line_add(struct flt_perf_map *map, char *line)
{
	unsigned long long start, size;
	struct entry *more;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx %llx %n", &start, &size, &at) < 2 || !at || !line[at] || !size ||
	    start + size < start)
		return;
	if (map->count >= ENTRIES_MAX)
		return;
	if (flt_array_grow((void **)&map->entries, map->count, &map->room, sizeof(*more)))
		return;
	more = &map->entries[map->count];
	*more = (struct entry){ start, start + size, map->count, strdup(line + at) };
	map->count += !!more->name;
}

struct flt_perf_map *flt_perf_map_load(const char *dir, uint32_t pid)
{
	struct flt_perf_map *map;
	char path[PATH_MAX], *line = NULL;
	size_t room = 0;
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/perf-%u.map", dir, pid) >= (int)sizeof(path))
		return NULL;
	file = flt_jit_file_open(path);
	if (!file)
		return NULL;
	map = calloc(1, sizeof(*map));
	while (map && getline(&line, &room, file) > 0)
		line_add(map, line);
	free(line);
	fclose(file);
	if (map && map->count)
		qsort(map->entries, map->count, sizeof(*map->entries), entry_order);
	return map;
}

void flt_perf_map_free(struct flt_perf_map *map)
{
	size_t i;

	if (!map)
		return;
	for (i = 0; i < map->count; i++)
		free(map->entries[i].name);
	free(map->entries);
	free(map);
}

const char *flt_perf_map_find(const struct flt_perf_map *map, uint64_t address, uint64_t *offset)
{
	size_t low = 0, high = map->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (map->entries[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* The last of several entries at an address is valid, because a JIT replaces code. */
	if (!low || map->entries[low - 1].end <= address)
		return NULL;
	*offset = address - map->entries[low - 1].start;
	return map->entries[low - 1].name;
}
