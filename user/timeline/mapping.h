/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapped.h - a line of /proc/PID/maps as a record of a trace file. */
#ifndef FLT_CMD_MAPPED_H
#define FLT_CMD_MAPPED_H

#include <stdbool.h>

#include "flt_file.h"
#include "source/proc/maps.h"

struct mapped {
	struct flt_record_map map;	/* without a build-id */
	char name[4200];
};

/* False: its name is longer than a record has room for. */
bool mapped_fill(struct mapped *mapped, const struct flt_maps_entry *entry, uint64_t time, uint32_t image);

#endif
