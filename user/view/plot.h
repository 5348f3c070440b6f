/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot.h - lines over time, as an SVG element of a page. */
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

#endif
