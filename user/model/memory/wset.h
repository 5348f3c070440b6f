/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wset.h - working-set samples of a run, summed up. */
#ifndef FLT_MODEL_WSET_H
#define FLT_MODEL_WSET_H

#include "account/sample.h"

enum { FLT_WSET_MIN, FLT_WSET_P50, FLT_WSET_P90, FLT_WSET_P99, FLT_WSET_MAX, FLT_WSET_QUANTILES };
extern const double flt_wset_quantile[FLT_WSET_QUANTILES];	/* 0, 0.5, .. 1 */

struct flt_wset {
	size_t windows;
	uint64_t referenced[FLT_WSET_QUANTILES];	/* nearest rank: values that occurred */
	uint64_t rss_last, rss_max;
	uint64_t first_touch, refault;		/* sums */
	uint64_t window, duration;		/* mean ns of each */
	uint64_t held_max;
};

/* Sum up the samples with FLT_SAMPLE_REFERENCED. Return -ENODATA if there are none, -ENOMEM. */
int flt_wset_sum_up(const struct flt_sample *samples, size_t count, struct flt_wset *out);

/*
 * Add up the samples of all processes by window (.nth). The result has a sample for each window
 * in which any process has one, in order. The caller frees it.
 */
int flt_wset_total(const struct flt_samples *samples, struct flt_samples *out);

#endif
