/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metric.h - metrics while they are written, their labels and histograms. */
#ifndef FLT_VIEW_METRIC_H
#define FLT_VIEW_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "text/buffer.h"

enum flt_metrics_format {
	FLT_METRICS_TEXT,
	FLT_METRICS_OPENMETRICS,
	FLT_METRICS_PROTOBUF,	/* the only format with native histograms */
	FLT_METRICS_FORMATS
};

enum flt_metric_type {
	FLT_METRIC_COUNTER,	/* the name is given without _total */
	FLT_METRIC_GAUGE,
	FLT_METRIC_HISTOGRAM,
	FLT_METRIC_INFO,	/* the name is given without _info */
};

#define FLT_METRIC_NAME 96
#define FLT_METRIC_LABELS 4

struct flt_metrics {
	struct flt_buffer text;
	enum flt_metrics_format format;
	uint64_t max, series, omitted;
	enum flt_metric_type type;
	char family[FLT_METRIC_NAME];
	size_t family_at;	/* protobuf: where the family begins, without its length */
	int error;
};

/*
 * A value may have any bytes. A list of at most FLT_METRIC_LABELS labels ends with a row without
 * name.
 */
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

/* Values in nanoseconds by octave: octave i has the values from 2^i up to, but without, 2^(i+1). */
#define FLT_METRIC_OCTAVES 64
struct flt_metric_octaves {
	uint64_t zero;		/* values that are 0 */
	uint64_t count[FLT_METRIC_OCTAVES];
	bool has_sum;
	uint64_t sum;		/* ns */
};

#endif
