/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot.h - lines over time, as an SVG element of a page, or as an SVG file of its own. */
#ifndef FLT_VIEW_PLOT_H
#define FLT_VIEW_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct flt_plot_line {
	const char *name;
	const double *seconds, *values;	/* seconds rise */
	size_t count;
};

struct flt_plot {
	const char *title;
	bool bytes;		/* values are bytes, else plain numbers */
	double seconds;		/* length of the axis */
	const struct flt_plot_line *lines;
	size_t count;
};

void flt_plot_write(FILE *out, const struct flt_plot *plot);

/*
 * A whole file: plots below one another over the same axis, lines sampled at the same
 * times in all of them. The values under the pointer are shown by style alone, no
 * script; nothing is loaded from elsewhere.
 */
void flt_plot_svg(FILE *out, const char *title, const struct flt_plot *plots, size_t count);

/* The next step of 1, 2, 5 (of two, for bytes) above the largest value. */
double flt_plot_ceiling(double largest, bool bytes);
void flt_plot_tick(char *text, size_t size, double value, bool bytes);

#endif
