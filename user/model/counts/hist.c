// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/hist.h"

#define OCTAVE (1u << FLT_BUCKET_SHIFT)

void flt_hist_buckets(struct flt_hist *hist, const uint64_t buckets[FLT_BUCKETS])
{
	uint32_t i;

	for (i = 0; i < FLT_BUCKETS; i++)
		hist->count[i] += buckets[i];
}

void flt_hist_latency(struct flt_hist *hist, const struct flt_latency *latency)
{
	flt_hist_buckets(hist, latency->buckets);
	hist->sum += latency->sum;
	if (latency->max > hist->max)
		hist->max = latency->max;
}

void flt_hist_account(struct flt_hist *hist, const struct flt_account *account)
{
	uint32_t i;

	hist->octaves = true;
	for (i = 0; i < FLT_OCTAVES; i++)
		hist->count[i * OCTAVE] += account->octaves[i];
	hist->sum += account->latency_sum;
	if (account->latency_max > hist->max)
		hist->max = account->latency_max;
}

bool flt_hist_subtract(const struct flt_hist *after, const struct flt_hist *before,
		       struct flt_hist *out)
{
	struct flt_hist result = *after;
	uint32_t i;

	for (i = 0; i < FLT_BUCKETS; i++) {
		if (after->count[i] < before->count[i]) {
			*out = *after;
			return true;
		}
		result.count[i] -= before->count[i];
	}
	result.sum = after->sum > before->sum ? after->sum - before->sum : 0;
	/* If the maximum grew, the largest latency is from this time. Otherwise it is unknown. */
	result.max = after->max > before->max ? after->max : 0;
	*out = result;
	return false;
}

void flt_hist_add(struct flt_hist *hist, const struct flt_hist *more)
{
	uint32_t i;

	for (i = 0; i < FLT_BUCKETS; i++)
		hist->count[i] += more->count[i];
	hist->octaves |= more->octaves;
	hist->sum += more->sum;
	if (more->max > hist->max)
		hist->max = more->max;
}

uint64_t flt_hist_total(const struct flt_hist *hist)
{
	uint64_t total = 0;
	uint32_t i;

	for (i = 0; i < FLT_BUCKETS; i++)
		total += hist->count[i];
	return total;
}

/* Return the largest latency of the bucket, or the floor of the last bucket, which is open. */
static uint64_t ceiling(const struct flt_hist *hist, uint32_t i)
{
	uint32_t next = i + (hist->octaves ? OCTAVE : 1);
	uint64_t top = next < FLT_BUCKETS ? flt_bucket_floor(next) - 1 :
					    flt_bucket_floor(FLT_BUCKETS - 1);

	if (hist->cap && hist->cap < top)
		top = hist->cap;
	return hist->max && hist->max < top ? hist->max : top;
}

uint64_t flt_hist_percentile(const struct flt_hist *hist, uint32_t part)
{
	uint64_t total = flt_hist_total(hist), seen = 0;
	unsigned __int128 rank = (unsigned __int128)total * part;
	uint32_t i;

	/* Round up to the nearest rank. Ranks begin at 1. */
	rank = (rank + 99999) / 100000;
	if (!rank)
		rank = 1;
	for (i = 0; i < FLT_BUCKETS; i++) {
		seen += hist->count[i];
		if (hist->count[i] && seen >= rank)
			return ceiling(hist, i);
	}
	return 0;
}

uint64_t flt_hist_max(const struct flt_hist *hist)
{
	uint32_t i;

	if (hist->max)
		return hist->max;
	for (i = FLT_BUCKETS; i-- > 0;)
		if (hist->count[i])
			return ceiling(hist, i);
	return 0;
}

uint64_t flt_hist_mean(const struct flt_hist *hist)
{
	uint64_t total = flt_hist_total(hist);
	unsigned __int128 sum = 0;
	uint32_t i;

	if (!total)
		return 0;
	if (hist->sum)
		return hist->sum / total;
	for (i = 0; i < FLT_BUCKETS; i++)
		sum += (unsigned __int128)hist->count[i] *
		       ((flt_bucket_floor(i) + ceiling(hist, i)) / 2);
	return (uint64_t)(sum / total);
}

uint64_t flt_hist_octaves_percentile(const uint64_t octaves[FLT_OCTAVES], uint32_t part)
{
	struct flt_hist hist = { .octaves = true };
	size_t i;

	for (i = 0; i < FLT_OCTAVES; i++)
		hist.count[i * OCTAVE] = octaves[i];
	return flt_hist_percentile(&hist, part);
}

uint64_t flt_hist_octave(const struct flt_hist *hist, uint32_t o)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < OCTAVE; i++)
		n += hist->count[o * OCTAVE + i];
	return n;
}

uint64_t flt_hist_octave_floor(uint32_t o)
{
	return flt_bucket_floor(o * OCTAVE);
}
