/* SPDX-License-Identifier: GPL-2.0-or-later */
/* correlate.h - correlation of two series, point by point. */
#ifndef FLT_MODEL_CORRELATE_H
#define FLT_MODEL_CORRELATE_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer points give no coefficients. */
#define FLT_CORRELATE_LEAST 8

struct flt_coefficients {
	size_t n;
	bool known;		/* enough points, and neither series is constant */
	double pearson;		/* of the values, -1 to 1 */
	double spearman;	/* of the ranks; equal values get their mean rank */
};

/* Return -ENOMEM. */
int flt_correlate(const double *x, const double *y, size_t n, struct flt_coefficients *out);

#endif
