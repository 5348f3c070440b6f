// SPDX-License-Identifier: GPL-2.0-or-later
/* replaced.c - where a mapping took the place of a different one. */
#include <string.h>

#include "index/array.h"
#include "model/recording/mapset.h"
#include "model/recording/recording.h"

/* A file with more is damaged. */
#define REPLACED_MAX (1u << 20)

/* A file may have another number of a device in /proc/PID/maps than in perf events. */
static bool is_other(const struct flt_map *old, const struct flt_record_map *map)
{
	if ((old->flags ^ map->flags) & FLT_MAP_SHARED)
		return true;
	return (old->inode != map->inode || old->device != map->device) &&
	       strcmp(old->name, (const char *)(map + 1));
}

int flt_recording_replace(struct flt_recording *rec, const struct flt_image *image,
			  const struct flt_record_map *map)
{
	uint64_t at = map->start, end;
	uint32_t old;
	int err = 0;

	for (; !err && at < map->end; at = end) {
		end = map->end;
		old = flt_map_set_next(image->maps, &at, &end);
		if (old == ~0u)
			break;
		if (!is_other(&rec->maps[old], map) || rec->replaced_count >= REPLACED_MAX)
			continue;
		err = flt_array_grow((void **)&rec->replaced, rec->replaced_count,
				     &rec->replaced_room, sizeof(*rec->replaced));
		if (!err)
			rec->replaced[rec->replaced_count++] = (struct flt_record_unmap){
				.head = { .time = map->head.time, .image = image->id },
				.start = at, .end = end,
			};
	}
	return err;
}
