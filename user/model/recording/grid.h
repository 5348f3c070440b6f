/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grid.h - faults by address and time, and by time alone.
 *
 * Addresses are sparse: only what was touched is shown, as *segments* of memory
 * with gaps between. Two passes: the first counts blocks of 2 MiB (a group with
 * keys (image, 0, block)), from which the segments are planned; the second fills.
 */
#ifndef FLT_MODEL_GRID_H
#define FLT_MODEL_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "model/recording/group.h"
#include "model/recording/recording.h"

#define FLT_GRID_BLOCK_SHIFT 21
#define FLT_GRID_COLUMNS 240
#define FLT_GRID_ROWS 144
#define FLT_GRID_SEGMENTS 24

struct flt_segment {
	uint32_t image;
	uint64_t start, end;	/* addresses */
	uint64_t faults;
	uint32_t row, rows;	/* in the grid */
	const char *name;	/* what is mapped where most faults were */
};

struct flt_grid {
	uint64_t from, until;	/* times */
	struct flt_segment segments[FLT_GRID_SEGMENTS];	/* by image and address */
	size_t segment_count;
	uint32_t rows;
	uint64_t outside;	/* faults in memory without a segment */
	uint64_t *all, *again;	/* [row * FLT_GRID_COLUMNS + column]: faults, refaults of them */
	uint64_t rate[FLT_GRID_COLUMNS], rate_again[FLT_GRID_COLUMNS], rate_major[FLT_GRID_COLUMNS];
};

void flt_grid_block(const struct flt_fault *fault, struct flt_group_key *key);
/* blocks: of the first pass, which must not be empty. */
int flt_grid_plan(struct flt_grid *grid, const struct flt_group *blocks, const struct flt_recording *rec, uint64_t from,
		  uint64_t until);
void flt_grid_add(struct flt_grid *grid, const struct flt_fault *fault);
void flt_grid_free(struct flt_grid *grid);

#endif
