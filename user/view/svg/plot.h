/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot.h - lines over time. */
#ifndef FLT_VIEW_PLOT_H
#define FLT_VIEW_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct flt_plot_line {
	const char *name;
	const double *seconds, *values;	/* seconds increase; a NAN value is unknown */
	size_t count;
};

struct flt_plot {
	const char *title;	/* NULL: the title of the picture says it */
	bool bytes;		/* values are bytes, else plain numbers */
	double seconds;		/* length of the axis */
	const struct flt_plot_line *lines;
	size_t count;
};

/*
 * Write plots below one another over the same axis; all lines must be sampled at the same times.
 * CSS shows the values under the pointer, without a script. alone: a file of its own,
 * else an element of a page.
 */
void flt_plot_write(FILE *out, const char *title, const struct flt_plot *plots, size_t count,
		    bool alone);

#endif
