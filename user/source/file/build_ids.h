/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build_ids.h - cache of the build-ids of mapped files, so that each is read once. */
#ifndef FLT_SOURCE_BUILD_IDS_H
#define FLT_SOURCE_BUILD_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "flt_file.h"

/* Indexed by file, because many images map the same file. All zero: empty. */
struct flt_build_ids {
	struct flt_build_id *known;
	size_t count;
};

void flt_build_ids_free(struct flt_build_ids *ids);

/*
 * Set map->build_id if the map is executable. The file may have been replaced and the process
 * may have ended: then the file that now has this name is read, if device and inode are
 * the same. If the build-id cannot be read, build_id_size stays 0. A build-id
 * that is set already is kept.
 */
void flt_build_ids_set(struct flt_build_ids *ids, uint32_t pid, struct flt_record_map *map,
		       const char *name);

#endif
