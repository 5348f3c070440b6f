/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording_inside.h - what recording.c and places.c share, and nobody else. */
#ifndef FLT_MODEL_RECORDING_INSIDE_H
#define FLT_MODEL_RECORDING_INSIDE_H

#include <errno.h>
#include <stdlib.h>

#include "model/recording/recording.h"

struct flt_image *flt_recording_find(const struct flt_recording *rec, uint32_t id);
/* The image of this id; one that no record made known has no pid. */
int flt_recording_get(struct flt_recording *rec, uint32_t id, struct flt_image **out);

/* Room for one more in an array of *count. */
static inline int flt_array_grow(void **array, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t more = *room ? *room * 2 : 64;
	void *fresh;

	if (count < *room)
		return 0;
	fresh = reallocarray(*array, more, size);
	if (!fresh)
		return -ENOMEM;
	*array = fresh;
	*room = more;
	return 0;
}

#endif
