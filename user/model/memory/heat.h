/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fold.h - faults by address and time, with the gaps of the address space left out.
 *
 * Each region is a *band* of its own, as high as what was touched of it: at most
 * FLT_HEAT_ROWS rows of a power of two of pages. Nobody knows beforehand how long
 * it will take, nor how far a heap will grow: columns and rows get coarser by
 * halves when they have to. Only cells that hold something exist, and not more than
 * FLT_HEAT_CELLS of them (24 bytes each); past that columns get coarser too.
 */
#ifndef FLT_MODEL_HEAT_H
#define FLT_MODEL_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/index.h"

#define FLT_HEAT_COLUMNS 256u
#define FLT_HEAT_ROWS 64u
#define FLT_HEAT_CELLS (1u << 20)
#define FLT_HEAT_STEP_NS 1000000ull

struct flt_heat_cell {
	uint64_t row;		/* first page of it >> shift of the band */
	uint32_t column;
	uint32_t all;		/* faults */
	uint32_t again;		/* refaults of them */
};

struct flt_heat_band {
	struct flt_heat_cell *cells;	/* in no order */
	uint32_t count, room;
	uint32_t last;		/* cell of the last fault, because faults are close together */
	struct flt_index index;	/* cells by row and column */
	uint64_t low, high;	/* first and last page that faulted */
	uint8_t shift;
};

struct flt_heat {
	uint64_t begin;		/* time of column 0 */
	uint64_t step;		/* ns of a column */
	uint64_t end;		/* the latest time seen */
	uint64_t column, column_begin;	/* of the last fault */
	struct flt_heat_band *bands;	/* by region */
	uint32_t band_count, band_room;
	uint32_t cells;
	bool begun;
};

void flt_heat_free(struct flt_heat *heat);

/* For a fold that is all zero, begun with its first fault unless `begin` was set. -ENOMEM. */
int flt_heat_add(struct flt_heat *heat, uint32_t region, uint64_t page, uint64_t time, uint32_t faults,
		 bool again);
void flt_heat_begin(struct flt_heat *heat, uint64_t time);
/* Make the columns reach up to a time, which is not before the begin. Return -ENOMEM. */
int flt_heat_extend(struct flt_heat *heat, uint64_t time);

/* Columns that hold something, up to the last; rows of a band. */
uint32_t flt_heat_columns(const struct flt_heat *heat);
uint32_t flt_heat_rows(const struct flt_heat_band *band);

#endif
