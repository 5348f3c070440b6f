// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/correlate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct point {
	double value;
	size_t index;
};

static int by_value(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int ranks(const double *values, size_t n, double *rank)
{
	struct point *points = malloc(n * sizeof(*points));
	size_t i, k, same;

	if (!points)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		points[i] = (struct point){ values[i], i };
	qsort(points, n, sizeof(*points), by_value);
	for (i = 0; i < n; i += same) {
		for (same = 1; i + same < n && points[i + same].value <= points[i].value; same++)
			;
		for (k = 0; k < same; k++)
			rank[points[i + k].index] = (double)i + (double)(same - 1) / 2;
	}
	free(points);
	return 0;
}

/* Return NAN if one of the series is constant. */
static double pearson(const double *x, const double *y, size_t n)
{
	double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		mx += x[i] / (double)n;
		my += y[i] / (double)n;
	}
	for (i = 0; i < n; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		yy += (y[i] - my) * (y[i] - my);
		xy += (x[i] - mx) * (y[i] - my);
	}
	return xx > 0 && yy > 0 ? fmax(-1, fmin(1, xy / sqrt(xx * yy))) : NAN;
}

int flt_correlate(const double *x, const double *y, size_t n, struct flt_coefficients *out)
{
	double *rx, *ry;
	int err = 0;

	*out = (struct flt_coefficients){ .n = n };
	if (n < FLT_CORRELATE_LEAST)
		return 0;
	rx = malloc(n * sizeof(*rx));
	ry = malloc(n * sizeof(*ry));
	if (!rx || !ry || ranks(x, n, rx) || ranks(y, n, ry))
		err = -ENOMEM;
	if (!err) {
		out->pearson = pearson(x, y, n);
		out->spearman = pearson(rx, ry, n);
		out->known = isfinite(out->pearson) && isfinite(out->spearman);
	}
	free(rx);
	free(ry);
	return err;
}
