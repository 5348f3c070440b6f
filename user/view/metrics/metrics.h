/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - write metrics as text for Prometheus: format 0.0.4, or OpenMetrics 1.0.
 *
 * Write a family, then all its samples. A histogram counts as one series per line.
 * When max series were written, further samples are counted in .omitted and left out. All errors
 * are remembered; flt_metrics_end() returns the first.
 */
#ifndef FLT_VIEW_METRICS_H
#define FLT_VIEW_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "text/buffer.h"

enum flt_metric_type {
	FLT_METRIC_COUNTER,	/* the name is given without _total */
	FLT_METRIC_GAUGE,
	FLT_METRIC_HISTOGRAM,
	FLT_METRIC_INFO,	/* the name is given without _info */
};

#define FLT_METRIC_NAME 96

struct flt_metrics {
	struct flt_buffer text;
	bool openmetrics;
	uint64_t max, series, omitted;
	enum flt_metric_type type;
	char family[FLT_METRIC_NAME];
	int error;
};

/* A value may have any bytes. A list of labels ends with a row without name. */
struct flt_metric_label {
	const char *name, *value;
};

/* The buckets are counts, not cumulative. */
struct flt_metric_histogram {
	const uint64_t *count;
	const uint64_t *bound;	/* largest value of each bucket, ns; the last one is infinite */
	uint32_t buckets;
	bool has_sum;
	uint64_t sum;		/* ns */
};

/* Begin a text. A family without samples is allowed. */
void flt_metrics_begin(struct flt_metrics *m, bool openmetrics, uint64_t max);

/* A name that ends in _seconds has this unit. help: a phrase without a full stop. */
void flt_metrics_family(struct flt_metrics *m, enum flt_metric_type type, const char *name,
			const char *help);
/* labels may be NULL. */
void flt_metrics_count(struct flt_metrics *m, const struct flt_metric_label *labels,
		       uint64_t value);
/* Write nanoseconds as seconds, without loss. */
void flt_metrics_seconds(struct flt_metrics *m, const struct flt_metric_label *labels,
			 uint64_t ns);
/* Write a histogram completely or not at all. */
void flt_metrics_histogram(struct flt_metrics *m, const struct flt_metric_label *labels,
			   const struct flt_metric_histogram *histogram);

/* End the text. Return 0 or -errno. Free .text in any case. */
int flt_metrics_end(struct flt_metrics *m);

#endif
