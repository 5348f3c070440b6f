/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frameset.h - numbers for the distinct functions of a flame graph. */
#ifndef FLT_VIEW_FRAMESET_H
#define FLT_VIEW_FRAMESET_H

#include <stddef.h>
#include <stdint.h>

#include "view/svg/flame.h"

struct flt_frameset {
	const struct flt_flame_frame **functions;	/* one frame of each function */
	uint32_t count;
	uint32_t *ids;		/* ids[i]: index into functions for frame i */
};

/* Equal names must have equal addresses. Return -ENOMEM. */
int flt_frameset_make(struct flt_frameset *set, const struct flt_flame_frame *frames, size_t n);
void flt_frameset_free(struct flt_frameset *set);

#endif
