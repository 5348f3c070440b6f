// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/metrics/metrics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "text/digits.h"
#include "text/escape.h"
#include "text/units.h"

/* "18446744073.709551615" */
#define SECONDS_TEXT (FLT_DIGITS_MAX + 16)

static const char *const types[] = {
	[FLT_METRIC_COUNTER] = "counter",
	[FLT_METRIC_GAUGE] = "gauge",
	[FLT_METRIC_HISTOGRAM] = "histogram",
	[FLT_METRIC_INFO] = "info",
};

static void put(struct flt_metrics *m, const char *text, size_t length)
{
	char *end = m->error ? NULL : flt_buffer_end(&m->text, length);

	if (!end) {
		m->error = -ENOMEM;
		return;
	}
	memcpy(end, text, length);
	m->text.used += length;
}

static void put_string(struct flt_metrics *m, const char *text)
{
	put(m, text, strlen(text));
}

/* Escape a valid string for a label value, or for the text of HELP, which keeps quotes. */
static void put_escaped(struct flt_metrics *m, const char *text, size_t length, bool quotes)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (text[i] == '\\')
			put(m, "\\\\", 2);
		else if (text[i] == '\n')
			put(m, "\\n", 2);
		else if (text[i] == '"' && quotes)
			put(m, "\\\"", 2);
		else
			put(m, &text[i], 1);
	}
}

/* Return true if the text is UTF-8 without characters that change when they are made safe. */
static bool is_plain(const char *text)
{
	size_t length = strlen(text), i, n;
	uint32_t point;

	for (i = 0; i < length; i += n) {
		n = flt_escape_decode(text + i, length - i, &point);
		if (!n || point < 0x20 || (point >= 0x7f && point < 0xa0))
			return false;
	}
	return true;
}

/*
 * Prometheus refuses a whole text because of one byte that is not UTF-8, or because of two series
 * with equal labels. So the escaped form of a name must differ from all plain names.
 */
static void put_value(struct flt_metrics *m, const char *value)
{
	char escaped[1024];
	size_t length;

	if (is_plain(value)) {
		put_escaped(m, value, strlen(value), true);
		return;
	}
	length = flt_escape_text(escaped, sizeof(escaped), value, strlen(value));
	put_string(m, "(escaped)");
	put_escaped(m, escaped, length < sizeof(escaped) ? length : sizeof(escaped) - 1, true);
}

static void put_labels(struct flt_metrics *m, const struct flt_metric_label *labels,
		       const char *bound)
{
	const struct flt_metric_label *l;
	bool any = false;

	for (l = labels; l && l->name; l++) {
		put_string(m, any ? "," : "{");
		any = true;
		put_string(m, l->name);
		put_string(m, "=\"");
		put_value(m, l->value);
		put_string(m, "\"");
	}
	if (bound) {
		put_string(m, any ? ",le=\"" : "{le=\"");
		put_string(m, bound);
		put_string(m, "\"");
		any = true;
	}
	if (any)
		put_string(m, "}");
}

static void put_line(struct flt_metrics *m, const char *suffix,
		     const struct flt_metric_label *labels, const char *bound, const char *value)
{
	put_string(m, m->family);
	put_string(m, suffix);
	put_labels(m, labels, bound);
	put_string(m, " ");
	put_string(m, value);
	put_string(m, "\n");
	m->series++;
}

/* Count a series that does not fit. */
static bool fits(struct flt_metrics *m, uint64_t series)
{
	if (m->series + series <= m->max)
		return true;
	m->omitted += series;
	return false;
}

/* Write seconds with all digits, but without zeros at the end: "0.0", "0.000001023". */
static void write_seconds(char text[SECONDS_TEXT], uint64_t ns)
{
	int n = snprintf(text, SECONDS_TEXT, "%llu.%09llu",
			 (unsigned long long)(ns / FLT_NSEC_PER_SEC),
			 (unsigned long long)(ns % FLT_NSEC_PER_SEC));

	while (text[n - 1] == '0' && text[n - 2] != '.')
		text[--n] = '\0';
}

static const char *suffix_of(enum flt_metric_type type)
{
	return type == FLT_METRIC_COUNTER ? "_total" : type == FLT_METRIC_INFO ? "_info" : "";
}

void flt_metrics_begin(struct flt_metrics *m, bool openmetrics, uint64_t max)
{
	*m = (struct flt_metrics){ .openmetrics = openmetrics, .max = max };
}

void flt_metrics_family(struct flt_metrics *m, enum flt_metric_type type, const char *name,
			const char *help)
{
	/* In format 0.0.4 the suffix belongs to the name of the family, and info is a gauge. */
	const char *suffix = m->openmetrics ? "" : suffix_of(type);
	const bool info = type == FLT_METRIC_INFO && !m->openmetrics;
	const size_t length = strlen(name);

	m->type = type;
	snprintf(m->family, sizeof(m->family), "%s", name);
	put_string(m, "# HELP ");
	put_string(m, name);
	put_string(m, suffix);
	put_string(m, " ");
	/* OpenMetrics escapes quotes here, too. */
	put_escaped(m, help, strlen(help), m->openmetrics);
	put_string(m, "\n# TYPE ");
	put_string(m, name);
	put_string(m, suffix);
	put_string(m, " ");
	put_string(m, types[info ? FLT_METRIC_GAUGE : type]);
	put_string(m, "\n");
	if (m->openmetrics && length > 8 && !strcmp(name + length - 8, "_seconds")) {
		put_string(m, "# UNIT ");
		put_string(m, name);
		put_string(m, " seconds\n");
	}
}

void flt_metrics_count(struct flt_metrics *m, const struct flt_metric_label *labels,
		       uint64_t value)
{
	char text[FLT_DIGITS_MAX + 1];

	if (!fits(m, 1))
		return;
	*flt_digits_decimal(text, value) = '\0';
	put_line(m, suffix_of(m->type), labels, NULL, text);
}

void flt_metrics_seconds(struct flt_metrics *m, const struct flt_metric_label *labels,
			 uint64_t ns)
{
	char text[SECONDS_TEXT];

	if (!fits(m, 1))
		return;
	write_seconds(text, ns);
	put_line(m, suffix_of(m->type), labels, NULL, text);
}

void flt_metrics_histogram(struct flt_metrics *m, const struct flt_metric_label *labels,
			   const struct flt_metric_histogram *histogram)
{
	char text[FLT_DIGITS_MAX + 1], bound[SECONDS_TEXT] = "+Inf";
	uint64_t sum = 0;
	uint32_t i;

	if (!fits(m, histogram->buckets + (histogram->has_sum ? 2 : 0)))
		return;
	for (i = 0; i < histogram->buckets; i++) {
		sum += histogram->count[i];
		if (i + 1 < histogram->buckets)
			write_seconds(bound, histogram->bound[i]);
		else
			strcpy(bound, "+Inf");
		*flt_digits_decimal(text, sum) = '\0';
		put_line(m, "_bucket", labels, bound, text);
	}
	if (!histogram->has_sum)
		return;
	put_line(m, "_count", labels, NULL, text);
	write_seconds(bound, histogram->sum);
	put_line(m, "_sum", labels, NULL, bound);
}

int flt_metrics_end(struct flt_metrics *m)
{
	if (m->openmetrics)
		put_string(m, "# EOF\n");
	return m->error;
}
