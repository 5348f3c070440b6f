/* SPDX-License-Identifier: GPL-2.0-or-later */
/* array.h - arrays that double when they are full. */
#ifndef FLT_INDEX_ARRAY_H
#define FLT_INDEX_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Make room for one more element of `size` bytes. *room: elements allocated. Return -ENOMEM, or
 * -E2BIG if *room cannot be doubled.
 */
static inline int flt_array_grow(void **array, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t more = *room ? *room * 2 : 64;
	void *fresh;

	if (count < *room)
		return 0;
	if (more < *room)
		return -E2BIG;
	fresh = reallocarray(*array, more, size);
	if (!fresh)
		return -ENOMEM;
	*array = fresh;
	*room = more;
	return 0;
}

#endif
