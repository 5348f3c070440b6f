/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - a timeline, for timeline.c and perf.c. state.c passes the records of flt_images on to
 * file, recording and regions.
 */
#ifndef FLT_TIMELINE_STATE_H
#define FLT_TIMELINE_STATE_H

#include "model/process/images.h"
#include "model/process/paths.h"
#include "model/process/touches.h"
#include "source/file/build_ids.h"
#include "source/stream/slices.h"
#include "source/stream/stacks.h"
#include "timeline/regions.h"
#include "timeline/setup.h"
#include "timeline/unwind.h"

struct timeline_image {
	uint32_t pid;		/* 0: the image has ended */
	bool lacks_stack;	/* the mapping of the main stack is to be looked up */
	bool bare;		/* after an exec that perf reported, no mapping followed */
};

struct flt_timeline {
	struct flt_timeline_setup setup;
	struct flt_page_size page;
	struct flt_images *images;
	struct flt_paths *paths;
	struct flt_build_ids ids;
	struct timeline_image *image;		/* image[i] is number i + 1 */
	size_t count, room;
	struct flt_recording *rec;		/* NULL: not kept in memory */
	struct flt_touches *touches;		/* NULL: the source reports first touches */
	struct flt_timeline_lookup lookup;	/* of mappings in setup.regions */
	/* With stacks of the module, one of the two is set. */
	struct flt_stream_stacks *stacks;
	struct flt_stream_pending *slices;
	struct flt_unwind_cache *unwind;	/* NULL: no copies of stacks */
	uint64_t address[FLT_TIMELINE_DEPTH];
};

/* Create timeline->images. Return -ENOMEM. */
int timeline_images_new(struct flt_timeline *timeline);
/* Return NULL if the image is unknown. */
struct timeline_image *timeline_image(const struct flt_timeline *timeline, uint32_t image);
/* Add a mapping that flt_images did not report. Return -ENOMEM or an error of the file. */
int timeline_map(struct flt_timeline *timeline, struct flt_record_map *map);
/* Return 0 for -E2BIG: count the loss, because a recording cannot hold more processes. */
int timeline_result(struct flt_timeline *timeline, int ret);
/* Set stack->count. Truncate a stack of n frames at the first invalid address. */
void timeline_stack_end(struct flt_timeline_stack *stack, size_t n);

#endif
