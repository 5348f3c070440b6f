/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hist.h - latencies in the buckets of <linux/flt_event.h>, and what they say.
 *
 * A histogram knows a latency to the width of its bucket: a quarter of an octave,
 * or a whole one where the kernel keeps octaves only. Percentiles and maximum are
 * upper ends, "at most so much", and never above a maximum that is known exactly.
 */
#ifndef FLT_MODEL_HIST_H
#define FLT_MODEL_HIST_H

#include "account/account.h"

struct flt_hist {
	uint64_t count[FLT_BUCKETS];	/* of octaves: at the first bucket of each */
	bool octaves;
	uint64_t sum;		/* ns, exact; 0: to be guessed from the buckets */
	uint64_t max;		/* ns, exact; 0: not known */
	uint64_t cap;		/* ns, none took longer; 0: not known */
};

void flt_hist_buckets(struct flt_hist *hist, const uint64_t buckets[FLT_BUCKETS]);
/* Of an account: its octaves, sum and maximum. */
void flt_hist_account(struct flt_hist *hist, const struct flt_account *account);

/* Of octaves alone: the percentile of flt_hist_percentile(). */
uint64_t flt_hist_octaves_percentile(const uint64_t octaves[FLT_OCTAVES], uint32_t part);

/* What is new in after, of whose maximum nothing is known. True: it went backwards, all is new. */
bool flt_hist_subtract(const struct flt_hist *after, const struct flt_hist *before,
		       struct flt_hist *out);
void flt_hist_add(struct flt_hist *hist, const struct flt_hist *more);

uint64_t flt_hist_total(const struct flt_hist *hist);
/* part of a whole of 100,000: 99,900 for p99.9. 0 for an empty histogram. */
uint64_t flt_hist_percentile(const struct flt_hist *hist, uint32_t part);
uint64_t flt_hist_max(const struct flt_hist *hist);
/* Without an exact sum from the middles of buckets: within an eighth, or a half with octaves. */
uint64_t flt_hist_mean(const struct flt_hist *hist);

/* Those whose octave is o: from floor(o) up to, and without, floor(o + 1). */
uint64_t flt_hist_octave(const struct flt_hist *hist, uint32_t o);
uint64_t flt_hist_octave_floor(uint32_t o);

#endif
