/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bars.h - a histogram as lines of text: range, count, share, share up to here, bar. */
#ifndef FLT_VIEW_BARS_H
#define FLT_VIEW_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flt_bar {
	const char *label;
	uint64_t count;
	const char *note;	/* behind the bar; NULL: none */
};

struct flt_bars_style {
	bool unicode;		/* eighths of a block; else '#' */
	bool color;
	size_t width;		/* columns of a line */
};

/* unit heads the counts. Labels and notes are the program's own. */
void flt_bars_write(FILE *out, const struct flt_bar *bars, size_t count, const char *heading,
		    const char *unit, const struct flt_bars_style *style);

#endif
