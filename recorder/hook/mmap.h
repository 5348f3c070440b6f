/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - what the program's calls about memory have in common (memory.c maps and
 * unmaps, remap.c moves, protect.c protects and locks).
 */
#ifndef FLT_REC_MEMORY_H
#define FLT_REC_MEMORY_H

#include "rec.h"

#define EXPORT __attribute__((visibility("default")))

extern bool rec_memory_no_more;	/* mlockall(): new memory must stay in */

/* Both locks, and no fork under way. */
struct rec_held {
	uint64_t signals;
};
struct rec_held rec_memory_hold(void);
void rec_memory_let(struct rec_held h);

/* Rounding up to pages would make nothing of it: the kernel knows what to say. */
static inline bool rec_memory_wraps(size_t len)
{
	return len > SIZE_MAX - (REC_PAGE - 1);
}
/* The part of [a, a + len) in the region, as pages; false if there is none. */
bool rec_memory_part(const void *a, size_t len, size_t *first, size_t *end);
/* To the program part of this is not mapped, whatever the kernel thinks. */
bool rec_memory_holes(const void *a, size_t len);
/* None of these pages was taken out of the limit. */
bool rec_memory_limited(size_t first, size_t end);
/* They are unmapped by the program: clean, and free for others. Both locks held. */
void rec_memory_give(size_t first, size_t end);
/* A raw call's result as libc would return it. */
long rec_memory_answer(long ret);

#endif
