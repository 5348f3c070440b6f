// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "text/digits.h"
#include "text/units.h"
#include "view/metrics/writer.h"

/* "18446744073.709551615" */
#define SECONDS_TEXT (FLT_DIGITS_MAX + 16)

static const char *const types[] = {
	[FLT_METRIC_COUNTER] = "counter",
	[FLT_METRIC_GAUGE] = "gauge",
	[FLT_METRIC_HISTOGRAM] = "histogram",
	[FLT_METRIC_INFO] = "info",
};

static void put_string(struct flt_metrics *m, const char *text)
{
	flt_metrics_put(m, text, strlen(text));
}

/* Escape a valid string for a label value, or for the text of HELP, which keeps quotes. */
static void put_escaped(struct flt_metrics *m, const char *text, bool quotes)
{
	for (; *text; text++) {
		if (*text == '\\')
			put_string(m, "\\\\");
		else if (*text == '\n')
			put_string(m, "\\n");
		else if (*text == '"' && quotes)
			put_string(m, "\\\"");
		else
			flt_metrics_put(m, text, 1);
	}
}

static void put_labels(struct flt_metrics *m, const struct flt_metric_label *labels,
		       const char *bound)
{
	const struct flt_metric_label *l;
	char safe[FLT_METRIC_VALUE];
	bool any = false;

	for (l = labels; l && l->name; l++) {
		put_string(m, any ? "," : "{");
		any = true;
		put_string(m, l->name);
		put_string(m, "=\"");
		put_escaped(m, flt_metrics_safe_value(safe, l->value), true);
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

/* Write "# WORD NAME ", where NAME is the name of the family. */
static void put_comment(struct flt_metrics *m, const char *word, const char *suffix)
{
	put_string(m, "# ");
	put_string(m, word);
	put_string(m, " ");
	put_string(m, m->family);
	put_string(m, suffix);
	put_string(m, " ");
}

void flt_metrics_text_family(struct flt_metrics *m, const char *help)
{
	const bool openmetrics = m->format == FLT_METRICS_OPENMETRICS;
	/* In format 0.0.4 the suffix belongs to the name of the family, and info is a gauge. */
	const char *suffix = openmetrics ? "" : flt_metrics_suffix(m->type);
	const bool info = m->type == FLT_METRIC_INFO && !openmetrics;
	const size_t length = strlen(m->family);

	put_comment(m, "HELP", suffix);
	/* OpenMetrics escapes quotes here, too. */
	put_escaped(m, help, openmetrics);
	put_string(m, "\n");
	put_comment(m, "TYPE", suffix);
	put_string(m, types[info ? FLT_METRIC_GAUGE : m->type]);
	put_string(m, "\n");
	if (openmetrics && length > 8 && !strcmp(m->family + length - 8, "_seconds")) {
		put_comment(m, "UNIT", "");
		put_string(m, "seconds\n");
	}
}

void flt_metrics_text_count(struct flt_metrics *m, const struct flt_metric_label *labels,
			    uint64_t value)
{
	char text[FLT_DIGITS_MAX + 1];

	*flt_digits_decimal(text, value) = '\0';
	put_line(m, flt_metrics_suffix(m->type), labels, NULL, text);
}

void flt_metrics_text_seconds(struct flt_metrics *m, const struct flt_metric_label *labels,
			      uint64_t ns)
{
	char text[SECONDS_TEXT];

	write_seconds(text, ns);
	put_line(m, flt_metrics_suffix(m->type), labels, NULL, text);
}

void flt_metrics_text_histogram(struct flt_metrics *m, const struct flt_metric_label *labels,
				const struct flt_metric_histogram *h)
{
	char text[FLT_DIGITS_MAX + 1], bound[SECONDS_TEXT] = "+Inf";
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < h->buckets; i++) {
		sum += h->count[i];
		if (i + 1 < h->buckets)
			write_seconds(bound, h->bound[i]);
		else
			strcpy(bound, "+Inf");
		*flt_digits_decimal(text, sum) = '\0';
		put_line(m, "_bucket", labels, bound, text);
	}
	if (!h->has_sum)
		return;
	put_line(m, "_count", labels, NULL, text);
	write_seconds(bound, h->sum);
	put_line(m, "_sum", labels, NULL, bound);
}

void flt_metrics_text_end(struct flt_metrics *m)
{
	if (m->format == FLT_METRICS_OPENMETRICS)
		put_string(m, "# EOF\n");
}
