/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - write metrics for Prometheus: text format 0.0.4, OpenMetrics 1.0, or protobuf.
 *
 * Write a family, then all its samples. A classic histogram counts as one series per bucket, sum
 * and count. When max series were written, further samples are counted in .omitted and left out.
 * All errors are remembered; flt_metrics_end() returns the first.
 */
#ifndef FLT_VIEW_METRICS_H
#define FLT_VIEW_METRICS_H

#include "view/metrics/metric.h"

/* Begin an answer. A family without samples is allowed. */
void flt_metrics_begin(struct flt_metrics *m, enum flt_metrics_format format, uint64_t max);

/* A name that ends in _seconds has this unit. help: a phrase without a full stop. */
void flt_metrics_family(struct flt_metrics *m, enum flt_metric_type type, const char *name,
			const char *help);
/* labels may be NULL. */
void flt_metrics_count(struct flt_metrics *m, const struct flt_metric_label *labels,
		       uint64_t value);
/* Write nanoseconds as seconds: in text without loss, in protobuf as a double. */
void flt_metrics_seconds(struct flt_metrics *m, const struct flt_metric_label *labels,
			 uint64_t ns);
/* Write a classic histogram, in seconds, completely or not at all. */
void flt_metrics_histogram(struct flt_metrics *m, const struct flt_metric_label *labels,
			   const struct flt_metric_histogram *histogram);
/*
 * Write a native histogram, in nanoseconds. The format must be FLT_METRICS_PROTOBUF. An unknown sum
 * is not a number.
 */
void flt_metrics_octaves(struct flt_metrics *m, const struct flt_metric_label *labels,
			 const struct flt_metric_octaves *octaves);

/* End the answer. Return 0 or -errno. Free .text in any case. */
int flt_metrics_end(struct flt_metrics *m);

#endif
