// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics. With the argument "text", "openmetrics" or "protobuf" the program prints an answer for
 * promtool and for parsers that are not ours, see tests/cli/export.bats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/metrics/metrics.h"

#define LABELS(...) ((const struct flt_metric_label[]){ __VA_ARGS__, { 0 } })

static const uint64_t count[] = { 1, 0, 3, 2 }, bound[] = { 255, 1023, 1073741823 };

static void write_sample(struct flt_metrics *m, enum flt_metrics_format format, uint64_t max)
{
	const struct flt_metric_histogram h = { count, bound, 4, true, 5000000001ull };
	const struct flt_metric_histogram without = { count, bound, 4, false, 0 };
	static const struct flt_metric_octaves empty, octaves = {
		.zero = 4, .count = { [0] = 1, [3] = 5, [4] = 2, [63] = 1 },
		.has_sum = true, .sum = 1000,
	};

	flt_metrics_begin(m, format, max);
	flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_a", "with \"quotes\" and \\");
	flt_metrics_count(m, NULL, UINT64_MAX);
	flt_metrics_count(m, LABELS({ "x", "a\"b\\c" }, { "y", "" }), 0);
	flt_metrics_count(m, LABELS({ "x", "/\xc3\xa4" }, { "y", "\xff" }), 7);
	flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_second_seconds", "a time");
	flt_metrics_seconds(m, NULL, 1);
	flt_metrics_family(m, FLT_METRIC_GAUGE, "flt_c", "a gauge");
	flt_metrics_count(m, NULL, 3);
	flt_metrics_family(m, FLT_METRIC_HISTOGRAM, "flt_delay_seconds", "a histogram");
	flt_metrics_histogram(m, NULL, &h);
	flt_metrics_family(m, FLT_METRIC_HISTOGRAM, "flt_even_seconds", "without a sum");
	flt_metrics_histogram(m, LABELS({ "kind", "anon" }), &without);
	flt_metrics_family(m, FLT_METRIC_INFO, "flt_f", "a version");
	flt_metrics_count(m, LABELS({ "version", "1" }), 1);
	flt_metrics_family(m, FLT_METRIC_COUNTER, "flt_g", "without samples");
	if (format != FLT_METRICS_PROTOBUF)
		return;
	flt_metrics_family(m, FLT_METRIC_HISTOGRAM, "flt_native_nanoseconds", "octaves");
	flt_metrics_octaves(m, LABELS({ "of", "some" }), &octaves);
	flt_metrics_octaves(m, LABELS({ "of", "none" }), &empty);
}

#define SAMPLES_A									\
	"flt_a_total 18446744073709551615\n"						\
	"flt_a_total{x=\"a\\\"b\\\\c\",y=\"\"} 0\n"
#define SAMPLES_B									\
	"flt_a_total{x=\"/\xc3\xa4\",y=\"(escaped)\\\\xff\"} 7\n"
#define SAMPLES_D									\
	"flt_delay_seconds_bucket{le=\"0.000000255\"} 1\n"					\
	"flt_delay_seconds_bucket{le=\"0.000001023\"} 1\n"					\
	"flt_delay_seconds_bucket{le=\"1.073741823\"} 4\n"					\
	"flt_delay_seconds_bucket{le=\"+Inf\"} 6\n"						\
	"flt_delay_seconds_count 6\n"							\
	"flt_delay_seconds_sum 5.000000001\n"

static void openmetrics_has_units_and_end(void **state)
{
	struct flt_metrics m;
	char *got;

	(void)state;
	write_sample(&m, FLT_METRICS_OPENMETRICS, 100);
	assert_int_equal(flt_metrics_end(&m), 0);
	got = strndup(m.text.text, m.text.used);
	assert_non_null(strstr(got, "# TYPE flt_a counter\n"));
	assert_non_null(strstr(got, "# HELP flt_a with \\\"quotes\\\" and \\\\\n"));
	assert_non_null(strstr(got, "# UNIT flt_second_seconds seconds\n"));
	assert_non_null(strstr(got, "# TYPE flt_f info\nflt_f_info{version=\"1\"} 1\n"));
	assert_non_null(strstr(got, "flt_second_seconds_total 0.000000001\n"));
	assert_non_null(strstr(got, SAMPLES_D));
	assert_string_equal(got + strlen(got) - 6, "# EOF\n");
	free(got);
	flt_buffer_free(&m.text);
}

static void text_has_suffixes_in_types(void **state)
{
	struct flt_metrics m;
	char *got;

	(void)state;
	write_sample(&m, FLT_METRICS_TEXT, 100);
	assert_int_equal(flt_metrics_end(&m), 0);
	got = strndup(m.text.text, m.text.used);
	assert_non_null(strstr(got, "# HELP flt_a_total with \"quotes\" and \\\\\n"));
	assert_non_null(strstr(got, "# TYPE flt_a_total counter\n"));
	assert_non_null(strstr(got, "# TYPE flt_f_info gauge\n"));
	assert_non_null(strstr(got, SAMPLES_A SAMPLES_B));
	assert_null(strstr(got, "UNIT"));
	assert_null(strstr(got, "EOF"));
	free(got);
	flt_buffer_free(&m.text);
}

/* A histogram that does not fit is left out as a whole. */
static void series_are_bounded(void **state)
{
	struct flt_metrics m;

	(void)state;
	write_sample(&m, FLT_METRICS_TEXT, 100);
	assert_int_equal(m.series, 16);
	assert_int_equal(m.omitted, 0);
	flt_metrics_end(&m);
	flt_buffer_free(&m.text);
	write_sample(&m, FLT_METRICS_TEXT, 10);
	assert_int_equal(m.series, 10);
	assert_int_equal(m.omitted, 6);
	flt_metrics_end(&m);
	flt_buffer_free(&m.text);
	write_sample(&m, FLT_METRICS_TEXT, 0);
	assert_int_equal(m.series, 0);
	assert_int_equal(m.omitted, 16);
	assert_int_equal(flt_metrics_end(&m), 0);
	flt_buffer_free(&m.text);
}

/* Names that look alike after escaping would be one series twice, which Prometheus refuses. */
static void escaped_names_stay_distinct(void **state)
{
	static const char *const names[] = { "/a\xff", "/a\\xff", "/a\n", "/a\\n", "/a\x1b",
					     "/a\\x1b", "/a\xc2\x9b", "/a\\\\xff" };
	char *got[sizeof(names) / sizeof(names[0])];
	struct flt_metrics m;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		flt_metrics_begin(&m, FLT_METRICS_OPENMETRICS, 1);
		flt_metrics_family(&m, FLT_METRIC_GAUGE, "flt_a", "a");
		flt_metrics_count(&m, LABELS({ "n", names[i] }), 1);
		assert_int_equal(flt_metrics_end(&m), 0);
		got[i] = strndup(m.text.text, m.text.used);
		flt_buffer_free(&m.text);
		for (k = 0; k < i; k++)
			assert_string_not_equal(got[k], got[i]);
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		free(got[i]);
}

/* More labels than there is room for are an error, not a smaller sample. */
static void too_many_labels_are_refused(void **state)
{
	struct flt_metrics m;

	(void)state;
	flt_metrics_begin(&m, FLT_METRICS_PROTOBUF, 1);
	flt_metrics_family(&m, FLT_METRIC_GAUGE, "flt_a", "a");
	flt_metrics_count(&m, LABELS({ "a", "1" }, { "b", "2" }, { "c", "3" }, { "d", "4" },
				     { "e", "5" }), 1);
	assert_int_equal(flt_metrics_end(&m), -E2BIG);
	flt_buffer_free(&m.text);
}

static int print(const char *name)
{
	static const char *const names[] = { "text", "openmetrics", "protobuf" };
	int format = 0, ret;
	struct flt_metrics m;

	while (format < FLT_METRICS_FORMATS && strcmp(name, names[format]))
		format++;
	if (format == FLT_METRICS_FORMATS)
		return 2;
	write_sample(&m, format, 100);
	ret = flt_metrics_end(&m);
	fwrite(m.text.text, 1, m.text.used, stdout);
	flt_buffer_free(&m.text);
	return ret != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(openmetrics_has_units_and_end),
		cmocka_unit_test(text_has_suffixes_in_types),
		cmocka_unit_test(series_are_bounded),
		cmocka_unit_test(escaped_names_stay_distinct),
		cmocka_unit_test(too_many_labels_are_refused),
	};

	if (argc > 1)
		return print(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
