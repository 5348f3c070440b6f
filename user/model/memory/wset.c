// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/wset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const double flt_wset_quantile[FLT_WSET_QUANTILES] = { 0, 0.5, 0.9, 0.99, 1 };

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Return the smallest value that at least this share of all values does not exceed. */
static uint64_t pick(const uint64_t *sorted, size_t count, double quantile)
{
	size_t rank = (size_t)((double)count * quantile);

	if ((double)rank < (double)count * quantile)
		rank++;
	return sorted[rank ? rank - 1 : 0];
}

int flt_wset_sum_up(const struct flt_sample *samples, size_t count, struct flt_wset *out)
{
	uint64_t *values = calloc(count ? count : 1, sizeof(*values)), window = 0, duration = 0;
	size_t i, n = 0;
	int q;

	*out = (struct flt_wset){ 0 };
	if (!values)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		const struct flt_sample *s = &samples[i];

		if (!(s->has & FLT_SAMPLE_REFERENCED))
			continue;
		values[n++] = s->referenced;
		if (s->has & FLT_SAMPLE_RSS) {
			out->rss_last = s->rss;
			if (s->rss > out->rss_max)
				out->rss_max = s->rss;
		}
		out->first_touch += s->first_touch;
		out->refault += s->refault;
		window += s->window;
		duration += s->duration;
		if (s->held_max > out->held_max)
			out->held_max = s->held_max;
	}
	if (n) {
		qsort(values, n, sizeof(*values), by_value);
		out->windows = n;
		out->window = window / n;
		out->duration = duration / n;
		for (q = 0; q < FLT_WSET_QUANTILES; q++)
			out->referenced[q] = pick(values, n, flt_wset_quantile[q]);
	}
	free(values);
	return n ? 0 : -ENODATA;
}

static int by_window(const void *a, const void *b)
{
	const struct flt_sample *x = a, *y = b;

	if (x->nth != y->nth)
		return x->nth > y->nth ? 1 : -1;
	return (x->time > y->time) - (x->time < y->time);
}

static void add(struct flt_sample *sum, const struct flt_sample *s)
{
	sum->has |= s->has;
	sum->flags |= s->flags;
	sum->rss += s->rss;
	sum->pss += s->pss;
	sum->referenced += s->referenced;
	sum->anon += s->anon;
	sum->file += s->file;
	sum->shmem += s->shmem;
	sum->first_touch += s->first_touch;
	sum->refault += s->refault;
	sum->major += s->major;
	sum->duration += s->duration;
	/* The window of a process that started within it is shorter. */
	if (s->window > sum->window)
		sum->window = s->window;
	if (s->held_max > sum->held_max)
		sum->held_max = s->held_max;
}

int flt_wset_total(const struct flt_samples *samples, struct flt_samples *out)
{
	struct flt_sample *s = calloc(samples->count ? samples->count : 1, sizeof(*s)), sum;
	size_t i, k;
	int ret = 0;

	if (!s)
		return -ENOMEM;
	if (samples->count)
		memcpy(s, samples->sample, samples->count * sizeof(*s));
	qsort(s, samples->count, sizeof(*s), by_window);
	for (i = 0; i < samples->count && !ret; i = k) {
		sum = (struct flt_sample){ .time = s[i].time, .nth = s[i].nth };
		for (k = i; k < samples->count && s[k].nth == s[i].nth; k++)
			add(&sum, &s[k]);
		ret = flt_samples_add(out, &sum);
	}
	free(s);
	return ret;
}
