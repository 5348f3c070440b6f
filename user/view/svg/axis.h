/* SPDX-License-Identifier: GPL-2.0-or-later */
/* axis.h - round numbers for axes, and their labels. */
#ifndef FLT_VIEW_AXIS_H
#define FLT_VIEW_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/* Return the end of an axis: 1, 2 or 5 times a power of ten; for bytes, a power of two. */
double flt_axis_end(double largest, bool bytes);
/* Return the time between two labels, so that there are at most seven labels. */
double flt_axis_time_step(double seconds);
/* Write a value as a label. */
void flt_axis_label(char *text, size_t size, double value, bool bytes);

#endif
