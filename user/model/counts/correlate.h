/* SPDX-License-Identifier: GPL-2.0-or-later */
/* correlate.h - do two series go together? At lag 0, point by point. */
#ifndef FLT_MODEL_CORRELATE_H
#define FLT_MODEL_CORRELATE_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer points say nothing. */
#define FLT_CORRELATE_LEAST 8

struct flt_coefficients {
	size_t n;
	bool known;		/* n is enough, and neither series is constant */
	double pearson;		/* -1 to 1: of the values */
	double spearman;	/* of their ranks; equal values share the mean rank */
};

/* -ENOMEM. */
int flt_correlate(const double *x, const double *y, size_t n, struct flt_coefficients *out);

#endif
