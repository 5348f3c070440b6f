// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each sample is packed as a family that has only this sample. Concatenated messages are one
 * message with all the samples, so a family needs no list in memory. See
 * https://protobuf.dev/programming-guides/encoding/, "Last One Wins".
 */
#include <errno.h>
#include <math.h>
#include <metrics.pb-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/units.h"
#include "view/metrics/writer.h"

/* Bytes of the longest varint of a size_t. */
#define VARINT 10

/* The labels of a sample, and what they point to. */
struct labels {
	Prometheus__Label label[FLT_METRIC_LABELS], *list[FLT_METRIC_LABELS];
	char safe[FLT_METRIC_LABELS][FLT_METRIC_VALUE];
};

static void pack_family(struct flt_metrics *m, const Prometheus__Family *family)
{
	char *end;

	if (m->error)
		return;
	end = flt_buffer_end(&m->text, prometheus__family__get_packed_size(family));
	if (!end)
		m->error = -ENOMEM;
	else
		m->text.used += prometheus__family__pack(family, (uint8_t *)end);
}

/* Put the length of the last family before the family. An answer begins without a family. */
static void prepend_length(struct flt_metrics *m)
{
	size_t length = m->text.used - m->family_at, rest = length, n = 0;
	char varint[VARINT];

	if (m->error || !length)
		return;
	for (; rest > 0x7f; rest >>= 7)
		varint[n++] = (char)(0x80 | (rest & 0x7f));
	varint[n++] = (char)rest;
	if (!flt_buffer_end(&m->text, n)) {
		m->error = -ENOMEM;
		return;
	}
	memmove(m->text.text + m->family_at + n, m->text.text + m->family_at, length);
	memcpy(m->text.text + m->family_at, varint, n);
	m->text.used += n;
}

void flt_metrics_protobuf_family(struct flt_metrics *m, const char *help)
{
	static const Prometheus__Type types[] = {
		[FLT_METRIC_COUNTER] = PROMETHEUS__TYPE__COUNTER,
		[FLT_METRIC_GAUGE] = PROMETHEUS__TYPE__GAUGE,
		[FLT_METRIC_HISTOGRAM] = PROMETHEUS__TYPE__HISTOGRAM,
		[FLT_METRIC_INFO] = PROMETHEUS__TYPE__GAUGE,
	};
	Prometheus__Family family = PROMETHEUS__FAMILY__INIT;
	char name[FLT_METRIC_NAME + 8];

	prepend_length(m);
	m->family_at = m->text.used;
	snprintf(name, sizeof(name), "%s%s", m->family, flt_metrics_suffix(m->type));
	family.name = name;
	family.help = (char *)help;
	family.has_type = true;
	family.type = types[m->type];
	pack_family(m, &family);
}

static void pack_metric(struct flt_metrics *m, const struct flt_metric_label *labels,
			Prometheus__Metric *metric)
{
	Prometheus__Family family = PROMETHEUS__FAMILY__INIT;
	struct labels l;
	size_t i;

	for (i = 0; labels && labels[i].name; i++) {
		if (i == FLT_METRIC_LABELS) {
			m->error = -E2BIG;
			return;
		}
		prometheus__label__init(&l.label[i]);
		l.label[i].name = (char *)labels[i].name;
		l.label[i].value = (char *)flt_metrics_safe_value(l.safe[i], labels[i].value);
		l.list[i] = &l.label[i];
	}
	metric->n_label = i;
	metric->label = l.list;
	family.n_metric = 1;
	family.metric = &metric;
	pack_family(m, &family);
	metric->n_label = 0;
	metric->label = NULL;
}

void flt_metrics_protobuf_number(struct flt_metrics *m, const struct flt_metric_label *labels,
				 double value)
{
	Prometheus__Metric metric = PROMETHEUS__METRIC__INIT;
	Prometheus__Value number = PROMETHEUS__VALUE__INIT;

	number.has_value = true;
	number.value = value;
	if (m->type == FLT_METRIC_COUNTER)
		metric.counter = &number;
	else
		metric.gauge = &number;
	pack_metric(m, labels, &metric);
}

static void pack_histogram(struct flt_metrics *m, const struct flt_metric_label *labels,
			   Prometheus__Histogram *histogram, uint64_t count, double sum)
{
	Prometheus__Metric metric = PROMETHEUS__METRIC__INIT;

	histogram->has_sample_count = true;
	histogram->sample_count = count;
	histogram->has_sample_sum = true;
	histogram->sample_sum = sum;
	metric.histogram = histogram;
	pack_metric(m, labels, &metric);
}

void flt_metrics_protobuf_histogram(struct flt_metrics *m, const struct flt_metric_label *labels,
				    const struct flt_metric_histogram *h)
{
	Prometheus__Histogram histogram = PROMETHEUS__HISTOGRAM__INIT;
	Prometheus__Bucket *bucket = calloc(h->buckets, sizeof(*bucket));
	Prometheus__Bucket **list = calloc(h->buckets, sizeof(Prometheus__Bucket *));
	uint64_t sum = 0;
	uint32_t i;

	if (!bucket || !list) {
		m->error = -ENOMEM;
		goto out;
	}
	for (i = 0; i < h->buckets; i++) {
		sum += h->count[i];
		prometheus__bucket__init(&bucket[i]);
		bucket[i].has_cumulative_count = bucket[i].has_upper_bound = true;
		bucket[i].cumulative_count = sum;
		bucket[i].upper_bound = i + 1 < h->buckets ?
			(double)h->bound[i] / FLT_NSEC_PER_SEC : INFINITY;
		list[i] = &bucket[i];
	}
	histogram.n_bucket = h->buckets;
	histogram.bucket = list;
	pack_histogram(m, labels, &histogram, sum,
		       h->has_sum ? (double)h->sum / FLT_NSEC_PER_SEC : NAN);
out:
	free(list);
	free(bucket);
}

/*
 * Octave i ends at 2^(i + 1), which is the end of bucket i + 1 in schema 0. A value that equals a
 * bound is in the bucket above, because the octaves of flt contain their lower bound.
 */
void flt_metrics_protobuf_octaves(struct flt_metrics *m, const struct flt_metric_label *labels,
				  const struct flt_metric_octaves *octaves)
{
	Prometheus__Histogram histogram = PROMETHEUS__HISTOGRAM__INIT;
	Prometheus__Span span = PROMETHEUS__SPAN__INIT, *spans = &span;
	uint32_t first = 0, end = FLT_METRIC_OCTAVES, i;
	int64_t delta[FLT_METRIC_OCTAVES];
	uint64_t sum = octaves->zero;

	while (first < end && !octaves->count[first])
		first++;
	while (end > first && !octaves->count[end - 1])
		end--;
	for (i = first; i < end; i++) {
		sum += octaves->count[i];
		delta[i - first] = (int64_t)(octaves->count[i] -
					     (i > first ? octaves->count[i - 1] : 0));
	}
	/* Write the span even if it is empty: a histogram without a span is not native. */
	span.has_offset = span.has_length = true;
	span.offset = first < end ? (int32_t)first + 1 : 0;
	span.length = end - first;
	histogram.has_schema = histogram.has_zero_threshold = histogram.has_zero_count = true;
	histogram.zero_count = octaves->zero;
	histogram.n_positive_span = 1;
	histogram.positive_span = &spans;
	histogram.n_positive_delta = end - first;
	histogram.positive_delta = delta;
	pack_histogram(m, labels, &histogram, sum, octaves->has_sum ? (double)octaves->sum : NAN);
}

void flt_metrics_protobuf_end(struct flt_metrics *m)
{
	prepend_length(m);
}
