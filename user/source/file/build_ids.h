/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build_ids.h - build-ids of files that processes have mapped, each read once. */
#ifndef FLT_SOURCE_BUILD_IDS_H
#define FLT_SOURCE_BUILD_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "flt_file.h"

/* By file, as one file is mapped by many images. All 0: none yet. */
struct flt_build_ids {
	struct flt_build_id *known;
	size_t count;
};

void flt_build_ids_free(struct flt_build_ids *ids);

/*
 * Sets map->build_id of code that process pid has mapped, or had: then the file
 * that has this name now is read, if it is the one. A build-id that is not to be
 * had has size 0.
 */
void flt_build_ids_set(struct flt_build_ids *ids, uint32_t pid, struct flt_record_map *map, const char *name);

#endif
