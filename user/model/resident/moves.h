/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moves.h - where pages went: the calls of mremap() of a process and of its ancestors, up to a
 * moment. They say at which address the page of an earlier fault is at that moment. Where a mapping
 * replaced another one, pages that never existed went to its place.
 */
#ifndef FLT_MODEL_RESIDENT_MOVES_H
#define FLT_MODEL_RESIDENT_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/resident/pages.h"

struct flt_resident_move {
	uint64_t time;			/* CLOCK_MONOTONIC ns */
	uint64_t start, end, to;	/* addresses: [start, end) went to .to */
};

/* Return what stands for a mapping that replaces another one in [start, end). */
static inline struct flt_resident_move flt_resident_replaced(uint64_t time, uint64_t start,
							     uint64_t end)
{
	return (struct flt_resident_move){
		.time = time, .start = UINT64_MAX - (end - start), .end = UINT64_MAX, .to = start,
	};
}

struct flt_resident_moves {
	struct flt_resident_move *all;
	uint32_t count, room;
};

/* A struct that is all zero is empty. */
void flt_resident_moves_free(struct flt_resident_moves *m);
/* Add a move, in any order. -ENOMEM. */
int flt_resident_moves_add(struct flt_resident_moves *m, const struct flt_resident_move *move);
/* Sort the moves, and drop those after which none of the pages came to its place. */
void flt_resident_moves_settle(struct flt_resident_moves *m, const struct flt_resident_pages *p);
/*
 * Set *address, where a page was at a time, to the place at the moment. Return false if the page
 * was unmapped by a move. Call after flt_resident_moves_settle().
 */
bool flt_resident_moves_follow(const struct flt_resident_moves *m, uint64_t time,
			       uint64_t *address);

#endif
