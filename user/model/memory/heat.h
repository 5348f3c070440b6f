/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heat.h - faults by address and time, without the gaps of the address space.
 *
 * Each region is a *band*: the pages between its first and last fault, in at most FLT_HEAT_ROWS
 * rows. A row is a power of two of pages. The length of the run and the growth of a heap are not
 * known in advance, so the resolution of columns and rows is halved when they no longer fit. Only
 * cells with faults exist. With more than FLT_HEAT_CELLS cells (24 bytes each), the resolution of
 * columns is halved, too.
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
	uint64_t row;		/* first page >> shift of the band */
	uint32_t column;
	uint32_t all;		/* faults */
	uint32_t again;		/* refaults among them */
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

/*
 * Add a fault. A struct that is all zero is empty; its first fault begins column 0 unless
 * flt_heat_begin() was called. Return -ENOMEM.
 */
int flt_heat_add(struct flt_heat *heat, uint32_t region, uint64_t page, uint64_t time,
		 uint32_t faults, bool again);
void flt_heat_begin(struct flt_heat *heat, uint64_t time);
/* Make the columns reach up to a time, which is not before the begin. Return -ENOMEM. */
int flt_heat_extend(struct flt_heat *heat, uint64_t time);

/* Return the number of columns up to the latest time; of rows of a band. */
uint32_t flt_heat_columns(const struct flt_heat *heat);
uint32_t flt_heat_rows(const struct flt_heat_band *band);

#endif
