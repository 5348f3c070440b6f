/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_told.h - notes of a stream into regions: who there is, and what is mapped.
 *
 * Where notes were lost, /proc/PID/maps is asked for what is there by then.
 */
#ifndef FLT_CMD_MAP_TOLD_H
#define FLT_CMD_MAP_TOLD_H

#include "model/process/lives.h"
#include "model/memory/regions.h"
#include "source/stream/stream.h"

/* Looks into /proc for each round of reading. */
#define MAP_TOLD_SNAPSHOTS 64

struct map_told {
	struct flt_regions *regions;
	struct flt_lives *lives;
	unsigned int snapshots;	/* left in this round */
	uint32_t missed_image;	/* the last image that a snapshot did not help, 0: none */
};

/* For struct flt_stream_sink; arg is a struct map_told. */
int map_told_note(void *arg, const union flt_stream_note *note, const void *bytes);
/* The image of the memory that a process has now. */
int map_told_image(struct map_told *told, uint32_t tgid, uint32_t *image);
/* Before a fault in memory of image is counted: is what is mapped there known? */
int map_told_fault(struct map_told *told, uint32_t image, const struct flt_event_record *record);

#endif
