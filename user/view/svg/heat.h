/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat.h - a map of counts by address (down) and time (across), as an element of a page. */
#ifndef FLT_VIEW_HEAT_H
#define FLT_VIEW_HEAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flt_heat_band {
	const char *name;
	uint64_t start, end;
	uint32_t row, rows;
};

struct flt_heat {
	double seconds;
	uint32_t rows, columns;
	const uint64_t *all, *again;	/* rows * columns */
	const struct flt_heat_band *bands;
	size_t band_count;
};

void flt_heat_write(FILE *out, const struct flt_heat *heat);

#endif
