/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - the two writers of metrics: lines of text and protobuf messages.
 *
 * metrics.c has counted the series before it calls a writer.
 */
#ifndef FLT_VIEW_METRICS_WRITER_H
#define FLT_VIEW_METRICS_WRITER_H

#include "view/metrics/metric.h"

/* Room for a label value that is safe, with its mark. */
#define FLT_METRIC_VALUE 1040

/*
 * Return the value if it is UTF-8 without control characters, else its escaped form, which is
 * written to safe.
 */
const char *flt_metrics_safe_value(char safe[FLT_METRIC_VALUE], const char *value);
void flt_metrics_put(struct flt_metrics *m, const char *bytes, size_t length);
/* Return the suffix of a family's samples. */
const char *flt_metrics_suffix(enum flt_metric_type type);

/* text.c */
void flt_metrics_text_family(struct flt_metrics *m, const char *help);
void flt_metrics_text_count(struct flt_metrics *m, const struct flt_metric_label *labels,
			    uint64_t value);
void flt_metrics_text_seconds(struct flt_metrics *m, const struct flt_metric_label *labels,
			      uint64_t ns);
void flt_metrics_text_histogram(struct flt_metrics *m, const struct flt_metric_label *labels,
				const struct flt_metric_histogram *h);
void flt_metrics_text_end(struct flt_metrics *m);

/* protobuf.c */
/* Begin a family, and end the one before. */
void flt_metrics_protobuf_family(struct flt_metrics *m, const char *help);
void flt_metrics_protobuf_number(struct flt_metrics *m, const struct flt_metric_label *labels,
				 double value);
void flt_metrics_protobuf_histogram(struct flt_metrics *m, const struct flt_metric_label *labels,
				    const struct flt_metric_histogram *h);
void flt_metrics_protobuf_octaves(struct flt_metrics *m, const struct flt_metric_label *labels,
				  const struct flt_metric_octaves *octaves);
void flt_metrics_protobuf_end(struct flt_metrics *m);

#endif
