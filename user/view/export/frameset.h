/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frameset.h - the distinct functions among the frames of a flame graph, numbered. */
#ifndef FLT_VIEW_FRAMESET_H
#define FLT_VIEW_FRAMESET_H

#include <stddef.h>
#include <stdint.h>

#include "view/svg/flame.h"

struct flt_frameset {
	const struct flt_flame_frame **functions;	/* one frame for each */
	uint32_t count;
	uint32_t *ids;		/* of frame i: index into functions */
};

/* Equal names must have equal addresses. -ENOMEM. */
int flt_frameset_make(struct flt_frameset *set, const struct flt_flame_frame *frames, size_t n);
void flt_frameset_free(struct flt_frameset *set);

#endif
