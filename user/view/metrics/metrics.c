// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/metrics/metrics.h"

#include <stdio.h>

#include "text/units.h"
#include "view/metrics/writer.h"

/* Count series. Return false if they do not fit. */
static bool take_series(struct flt_metrics *m, uint64_t series)
{
	if (m->series + series > m->max) {
		m->omitted += series;
		return false;
	}
	m->series += series;
	return true;
}

void flt_metrics_begin(struct flt_metrics *m, enum flt_metrics_format format, uint64_t max)
{
	*m = (struct flt_metrics){ .format = format, .max = max };
}

void flt_metrics_family(struct flt_metrics *m, enum flt_metric_type type, const char *name,
			const char *help)
{
	m->type = type;
	snprintf(m->family, sizeof(m->family), "%s", name);
	if (m->format == FLT_METRICS_PROTOBUF)
		flt_metrics_protobuf_family(m, help);
	else
		flt_metrics_text_family(m, help);
}

void flt_metrics_count(struct flt_metrics *m, const struct flt_metric_label *labels,
		       uint64_t value)
{
	if (!take_series(m, 1))
		return;
	if (m->format == FLT_METRICS_PROTOBUF)
		flt_metrics_protobuf_number(m, labels, (double)value);
	else
		flt_metrics_text_count(m, labels, value);
}

void flt_metrics_seconds(struct flt_metrics *m, const struct flt_metric_label *labels,
			 uint64_t ns)
{
	if (!take_series(m, 1))
		return;
	if (m->format == FLT_METRICS_PROTOBUF)
		flt_metrics_protobuf_number(m, labels, (double)ns / FLT_NSEC_PER_SEC);
	else
		flt_metrics_text_seconds(m, labels, ns);
}

void flt_metrics_histogram(struct flt_metrics *m, const struct flt_metric_label *labels,
			   const struct flt_metric_histogram *histogram)
{
	/* In protobuf each histogram has a sum and a count. */
	const bool has_sum = histogram->has_sum || m->format == FLT_METRICS_PROTOBUF;

	if (!take_series(m, histogram->buckets + (has_sum ? 2 : 0)))
		return;
	if (m->format == FLT_METRICS_PROTOBUF)
		flt_metrics_protobuf_histogram(m, labels, histogram);
	else
		flt_metrics_text_histogram(m, labels, histogram);
}

void flt_metrics_octaves(struct flt_metrics *m, const struct flt_metric_label *labels,
			 const struct flt_metric_octaves *octaves)
{
	if (take_series(m, 1))
		flt_metrics_protobuf_octaves(m, labels, octaves);
}

int flt_metrics_end(struct flt_metrics *m)
{
	if (m->format == FLT_METRICS_PROTOBUF)
		flt_metrics_protobuf_end(m);
	else
		flt_metrics_text_end(m);
	return m->error;
}
