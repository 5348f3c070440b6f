// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "account/counter.h"
#include "cmd/export/export.h"
#include "source/proc/container.h"

/*
 * Bounds of latencies: from 256 ns to 17 s, by octaves or quarters. A bucket of the module ends
 * before the floor of the next one, and times are whole nanoseconds. So the bounds are exact.
 */
#define FIRST_OCTAVE 8
#define LAST_OCTAVE 34
#define BOUNDS (((LAST_OCTAVE - FIRST_OCTAVE) << FLT_BUCKET_SHIFT) + 1)

/* Series without those of groups: all kinds, minor and major, and about 100 counters. */
#define HISTOGRAMS (2 * __FLT_KIND_MAX + 1)
#define OTHER_SERIES 120

/* Own series that are always written. */
#define OWN_SERIES 8

struct latency {
	uint64_t count[BOUNDS + 1], bound[BOUNDS + 1];
	struct flt_metric_histogram histogram;
};

static uint32_t bucket_step(const struct export_args *args)
{
	return args->quarters ? 1 : 1u << FLT_BUCKET_SHIFT;
}

/* Return the number of counters that are sums. */
static uint32_t series_of_group(void)
{
	const struct flt_counter *c;
	uint32_t n = 0;
	size_t i;

	for (i = 0; (c = flt_counter_at(i)); i++)
		n += c->fold == FLT_FOLD_SUM && c->file;
	return n;
}

uint32_t export_room(const struct export_args *args)
{
	/* Infinity, count, sum, and the same as a native histogram. */
	const uint64_t lines = (BOUNDS - 1) / bucket_step(args) + 5;
	const uint64_t fixed = (args->counts ? 0 : HISTOGRAMS * lines) + OTHER_SERIES +
			       (uint64_t)__FLT_GROUPS_FIXED * series_of_group() +
			       export_wsets_series(args);
	const uint64_t room = args->max_series > fixed ? args->max_series - fixed : 0;

	return (uint32_t)(room / series_of_group());
}

static void fill_latency(struct latency *l, const uint64_t buckets[FLT_BUCKETS], uint32_t step)
{
	const uint32_t last = flt_bucket_of(1ull << LAST_OCTAVE);
	uint32_t at = flt_bucket_of(1ull << FIRST_OCTAVE), i = 0, n = 0;

	*l = (struct latency){ .histogram = { .count = l->count, .bound = l->bound } };
	for (; at <= last; at += step, n++) {
		l->bound[n] = flt_bucket_floor(at) - 1;
		for (; i < at; i++)
			l->count[n] += buckets[i];
	}
	for (; i < FLT_BUCKETS; i++)
		l->count[n] += buckets[i];
	l->histogram.buckets = n + 1;
}

static void fill_octaves(struct flt_metric_octaves *o, const uint64_t buckets[FLT_BUCKETS])
{
	uint64_t floor;
	uint32_t i;

	*o = (struct flt_metric_octaves){ 0 };
	for (i = 0; i < FLT_BUCKETS; i++) {
		floor = flt_bucket_floor(i);
		if (floor)
			o->count[63 - __builtin_clzll(floor)] += buckets[i];
		else
			o->zero += buckets[i];
	}
}

/* Write the buckets of a family: in nanoseconds as a native histogram, or else in seconds. */
static void write_buckets(struct export *x, struct flt_metrics *m, bool native,
			  const struct flt_metric_label *labels,
			  const uint64_t buckets[FLT_BUCKETS], const uint64_t *sum)
{
	struct flt_metric_octaves octaves;
	struct latency l;

	if (native) {
		fill_octaves(&octaves, buckets);
		octaves.has_sum = sum;
		octaves.sum = sum ? *sum : 0;
		flt_metrics_octaves(m, labels, &octaves);
	} else {
		fill_latency(&l, buckets, bucket_step(x->args));
		l.histogram.has_sum = sum;
		l.histogram.sum = sum ? *sum : 0;
		flt_metrics_histogram(m, labels, &l.histogram);
	}
}

static void write_latency(struct export *x, struct flt_metrics *m, bool native)
{
	uint64_t all[FLT_BUCKETS] = { 0 };
	const struct flt_counter *c;
	const uint64_t *sum = NULL;
	uint32_t major, kind, i;

	for (major = 0; major < 2; major++)
		for (kind = 0; kind < __FLT_KIND_MAX; kind++)
			for (i = 0; i < FLT_BUCKETS; i++)
				all[i] += x->sum.latency[major][kind][i];
	for (i = 0; (c = flt_counter_at(i)); i++)
		if (c->attribute == FLT_ACCOUNT_LATENCY_SUM)
			sum = &x->sum.counter[i];
	flt_metrics_family(m, FLT_METRIC_HISTOGRAM, native ? "flt_fault_latency_nanoseconds" :
			   "flt_fault_latency_seconds",
			   "time from the first attempt to the end of minor and major faults");
	write_buckets(x, m, native, NULL, all, sum);
}

static void write_kind_latency(struct export *x, struct flt_metrics *m, bool native)
{
	uint32_t major, kind, i;
	uint64_t any;

	flt_metrics_family(m, FLT_METRIC_HISTOGRAM, native ? "flt_fault_kind_latency_nanoseconds" :
			   "flt_fault_kind_latency_seconds",
			   "the same by kind and result; the module has no sums of kinds");
	for (kind = 0; kind < __FLT_KIND_MAX; kind++) {
		for (major = 0; major < 2; major++) {
			const uint64_t *buckets = x->sum.latency[major][kind];
			const struct flt_metric_label labels[] = {
				{ "kind", flt_kind_name(kind) },
				{ "result", major ? "major" : "minor" }, { 0 },
			};

			for (any = i = 0; i < FLT_BUCKETS; i++)
				any |= buckets[i];
			if (any)
				write_buckets(x, m, native, labels, buckets, NULL);
		}
	}
}

static void write_latencies(struct export *x, struct flt_metrics *m)
{
	write_latency(x, m, false);
	write_kind_latency(x, m, false);
	if (m->format == FLT_METRICS_PROTOBUF) {
		write_latency(x, m, true);
		write_kind_latency(x, m, true);
	}
}

/*
 * Begin the family of a counter: PREFIX and the name of its file. Nanoseconds become seconds.
 * Return false if the counter is not exported.
 */
static bool begin_counter(struct flt_metrics *m, const char *prefix, const struct flt_counter *c,
			  uint32_t unknown, bool *is_time)
{
	char name[FLT_METRIC_NAME];
	size_t length;

	if (c->fold != FLT_FOLD_SUM || !c->file || unknown & 1u << c->attribute)
		return false;
	snprintf(name, sizeof(name), "%s%s", prefix, c->file);
	length = strlen(name);
	*is_time = length > 3 && !strcmp(name + length - 3, "_ns");
	if (*is_time)
		snprintf(name + length - 3, sizeof(name) - length + 3, "_seconds");
	flt_metrics_family(m, FLT_METRIC_COUNTER, name, *is_time ? "time spent in minor and "
			   "major faults" : c->meaning);
	return true;
}

static void write_number(struct flt_metrics *m, const struct flt_metric_label *labels,
			 uint64_t value, bool is_time)
{
	if (is_time)
		flt_metrics_seconds(m, labels, value);
	else
		flt_metrics_count(m, labels, value);
}

static void write_machine(struct export *x, struct flt_metrics *m)
{
	const struct flt_counter *c;
	bool is_time;
	uint32_t i;

	for (i = 0; (c = flt_counter_at(i)); i++)
		if (begin_counter(m, "flt_", c, x->unknown, &is_time))
			write_number(m, NULL, x->sum.counter[i], is_time);
	flt_metrics_family(m, FLT_METRIC_GAUGE, "flt_latency_max_seconds",
			   "the slowest fault since the module was loaded");
	flt_metrics_seconds(m, NULL, x->latency_max);
	flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_faults_kind",
			   "faults by kind, without faults that the probe missed");
	for (i = 0; i < __FLT_KIND_MAX; i++)
		flt_metrics_count(m, (const struct flt_metric_label[]){
				  { "kind", flt_kind_name(i) }, { 0 } }, x->sum.kind[i]);
	flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_faults_failure",
			   "failed faults by cause");
	for (i = 0; i < __FLT_FAILURE_MAX; i++)
		flt_metrics_count(m, (const struct flt_metric_label[]){
				  { "failure", flt_failure_name(i) }, { 0 } }, x->sum.failure[i]);
	flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_losses",
			   "faults and calls that the module could not count completely");
	i = 0;
#define LOSS(member, ...) flt_metrics_count(m, (const struct flt_metric_label[]){		\
		{ "cause", #member }, { 0 } }, x->sum.loss[i++]);
	FLT_TALLY_LOSSES(LOSS)
#undef LOSS
}

/* A counter of a ledger. Names that end in _NS are times. */
struct event {
	const char *name;
	uint32_t number;
};

#define EVENT(name, number, ...) { #name, number },
static const struct event thp_events[] = { FLT_THP_COUNTERS(EVENT) { 0 } };
static const struct event numa_events[] = { FLT_NUMA_COUNTERS(EVENT) { 0 } };
#undef EVENT

static void write_events(struct export *x, struct flt_metrics *m, enum export_ledger which,
			 const struct event *event, bool times)
{
	char name[32];
	size_t length, i;
	bool is_time;

	for (; event->name; event++) {
		length = strlen(event->name);
		is_time = length > 3 && !strcmp(event->name + length - 3, "_NS");
		if (is_time != times ||
		    x->ledger_unknown[which] & FLT_LEDGER_COUNTER(event->number))
			continue;
		if (is_time)
			length -= 3;
		for (i = 0; i < length && i < sizeof(name) - 1; i++)
			name[i] = (char)tolower((unsigned char)event->name[i]);
		name[i] = '\0';
		write_number(m, (const struct flt_metric_label[]){ { "event", name }, { 0 } },
			     x->sum.ledger[which].count[event->number], is_time);
	}
}

static void write_ledgers(struct export *x, struct flt_metrics *m)
{
	if (x->args->ledger[EXPORT_THP]) {
		flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_thp_events",
				   "huge pages: fills, fallbacks, collapses and splits");
		write_events(x, m, EXPORT_THP, thp_events, false);
		flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_thp_seconds",
				   "time in faults that got a huge page, and in fallbacks");
		write_events(x, m, EXPORT_THP, thp_events, true);
	}
	if (x->args->ledger[EXPORT_NUMA]) {
		flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_numa_events",
				   "NUMA balancing: hint faults and moves");
		write_events(x, m, EXPORT_NUMA, numa_events, false);
		flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_numa_seconds",
				   "time in moves of pages");
		write_events(x, m, EXPORT_NUMA, numa_events, true);
	}
}

/* Return the label of a group, or NULL for a group that need not be written. */
static const char *label_of(const struct flt_group *group, size_t i)
{
	/* A path begins with a slash, so these are unambiguous. */
	return i == FLT_GROUP_OTHER ? "(other)" : i == FLT_GROUP_ENDED ? "(ended)" : group->name;
}

static void write_groups(struct export *x, struct flt_metrics *m)
{
	struct flt_metric_label labels[3] = { { 0 } };
	char name[FLT_CONTAINER_NAME];
	const struct flt_group *group;
	const struct flt_counter *c;
	const char *label;
	bool is_time;
	size_t i, k;

	for (i = 0; (c = flt_counter_at(i)); i++) {
		if (!begin_counter(m, "flt_cgroup_", c, x->unknown, &is_time))
			continue;
		for (k = 0; (group = flt_groups_at(x->groups, k)); k++) {
			label = label_of(group, k);
			labels[0] = (struct flt_metric_label){ "cgroup", label };
			labels[1] = label && flt_container_name(label, name) ?
				    (struct flt_metric_label){ "container", name } :
				    (struct flt_metric_label){ 0 };
			if (label)
				write_number(m, labels, group->n[i], is_time);
		}
	}
	m->omitted += flt_groups_hidden(x->groups) * series_of_group();
}

/* Write the metrics of the exporter itself. The limit of series does not apply to them. */
static void write_own(struct export *x, struct flt_metrics *m)
{
	m->max = UINT64_MAX;
	flt_metrics_family(m, FLT_METRIC_INFO, "flt_build", "version of fltctl");
	flt_metrics_count(m, (const struct flt_metric_label[]){
			  { "version", FLT_VERSION }, { 0 } }, 1);
	flt_metrics_family(m, FLT_METRIC_GAUGE, "flt_up",
			   "1 if the module answered; else all counters are those of the last "
			   "answer");
	flt_metrics_count(m, NULL, x->control != NULL);
	flt_metrics_family(m, FLT_METRIC_GAUGE, "flt_export_complete",
			   "0 if rows were retired while they were read by cgroup");
	flt_metrics_count(m, NULL, !x->groups || x->complete);
	flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_export_scrapes", "answers of this program");
	flt_metrics_count(m, NULL, x->scrapes);
	flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_export_failures",
			   "attempts to read the module that failed");
	flt_metrics_count(m, NULL, x->failures);
	x->omitted += m->omitted;
	flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_export_series_omitted",
			   "series that --max-series left out, added up over all answers");
	flt_metrics_count(m, NULL, x->omitted);
}

int export_write(struct export *x, struct flt_metrics *m, enum flt_metrics_format format)
{
	flt_metrics_begin(m, format, x->args->max_series - OWN_SERIES);
	write_machine(x, m);
	write_ledgers(x, m);
	if (!x->args->counts)
		write_latencies(x, m);
	if (x->wsets)
		export_wsets_write(x, m);
	if (x->groups)
		write_groups(x, m);
	write_own(x, m);
	return flt_metrics_end(m);
}
