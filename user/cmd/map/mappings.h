/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappings.h - processes and their mappings, from the notes of a stream.
 *
 * The stream may lose notes. Then /proc/PID/maps is read: it has the mappings of now, which may
 * differ from those at the time of the fault.
 */
#ifndef FLT_CMD_MAP_MAPPINGS_H
#define FLT_CMD_MAP_MAPPINGS_H

#include "model/process/lives.h"
#include "model/memory/regions.h"
#include "source/stream/stream.h"

/* Maximum number of /proc/PID/maps read per round, because reading them is slow. */
#define MAP_SNAPSHOTS 64

struct map_mappings {
	struct flt_regions *regions;
	struct flt_lives *lives;
	unsigned int snapshots;	/* left in this round */
	uint32_t missed_image;	/* last image whose mapping /proc did not have; 0: none */
};

/* Handle a note. Use as .note of struct flt_stream_sink; arg is a struct map_mappings. */
int map_mappings_note(void *arg, const union flt_stream_note *note, const void *bytes);
/* Set *image to the current image of a process: its memory since the last fork or exec. */
int map_mappings_image(struct map_mappings *mappings, uint32_t tgid, uint32_t *image);
/* Call before counting a fault: make the mapping at its address known, if possible. */
int map_mappings_fault(struct map_mappings *mappings, uint32_t image,
		       const struct flt_event_record *record);

#endif
