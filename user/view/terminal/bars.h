/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bars.h - a histogram as text: range, count, share, cumulative share and bar per line. */
#ifndef FLT_VIEW_BARS_H
#define FLT_VIEW_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flt_bar {
	const char *label;
	uint64_t count;
	const char *note;	/* after the bar; NULL: none */
};

struct flt_bars_style {
	bool unicode;		/* eighths of a block; else '#' */
	bool color;
	size_t width;		/* columns of a line */
};

/* unit: heading of the counts. Labels and notes are not escaped. */
void flt_bars_write(FILE *out, const struct flt_bar *bars, size_t count, const char *heading,
		    const char *unit, const struct flt_bars_style *style);

#endif
