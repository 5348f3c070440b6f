/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_record.h - a line of /proc/PID/maps as a record of a trace file. */
#ifndef FLT_TIMELINE_MAP_RECORD_H
#define FLT_TIMELINE_MAP_RECORD_H

#include <stdbool.h>

#include "flt_file.h"
#include "source/proc/maps.h"

struct map_record {
	struct flt_record_map map;	/* without build-id and area */
	char name[4200];
};

/* Fill in a record. Return false if the name is too long for a record. */
bool map_record_fill(struct map_record *record, const struct flt_maps_entry *entry, uint64_t time,
		     uint32_t image);

#endif
