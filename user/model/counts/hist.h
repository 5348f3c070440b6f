/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hist.h - histograms of latencies in the buckets of <linux/flt_event.h>.
 *
 * A bucket is a quarter of an octave, or an octave where the kernel counts octaves only.
 * Percentiles and maximum are upper ends of buckets, but never above the exact maximum if that is
 * known.
 */
#ifndef FLT_MODEL_HIST_H
#define FLT_MODEL_HIST_H

#include "account/account.h"

struct flt_hist {
	uint64_t count[FLT_BUCKETS];	/* an octave is counted in its first bucket */
	bool octaves;
	uint64_t sum;		/* ns, exact; 0: estimate from the buckets */
	uint64_t max;		/* ns, exact; 0: not known */
	uint64_t cap;		/* ns, upper bound of all latencies; 0: unknown */
};

void flt_hist_buckets(struct flt_hist *hist, const uint64_t buckets[FLT_BUCKETS]);
/* Add buckets, sum and maximum of a histogram of a session. */
void flt_hist_latency(struct flt_hist *hist, const struct flt_latency *latency);
/* Add octaves, sum and maximum of an account. */
void flt_hist_account(struct flt_hist *hist, const struct flt_account *account);

/* Return a percentile, as flt_hist_percentile() does, from octaves alone. */
uint64_t flt_hist_octaves_percentile(const uint64_t octaves[FLT_OCTAVES], uint32_t part);

/*
 * Subtract `before` from `after`. The maximum of the difference is known only if it grew. If a
 * count is smaller than before, the module was reloaded: copy `after` and return true.
 */
bool flt_hist_subtract(const struct flt_hist *after, const struct flt_hist *before,
		       struct flt_hist *out);
void flt_hist_add(struct flt_hist *hist, const struct flt_hist *more);

uint64_t flt_hist_total(const struct flt_hist *hist);
/* Return a percentile, or 0 for an empty histogram. part: of 100,000, e.g. 99,900 for p99.9. */
uint64_t flt_hist_percentile(const struct flt_hist *hist, uint32_t part);
uint64_t flt_hist_max(const struct flt_hist *hist);
/*
 * Return the mean. Without an exact sum, the result is an estimate, whose error is at most an
 * eighth, or a half if the kernel counts octaves.
 */
uint64_t flt_hist_mean(const struct flt_hist *hist);

/* Return the count of octave o: from floor(o) up to but not including floor(o + 1). */
uint64_t flt_hist_octave(const struct flt_hist *hist, uint32_t o);
uint64_t flt_hist_octave_floor(uint32_t o);

#endif
