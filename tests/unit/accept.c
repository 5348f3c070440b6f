// SPDX-License-Identifier: GPL-2.0-or-later
/* The format that the header Accept of a request prefers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/export.h"

#define PROTOBUF "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;" \
		 "encoding=delimited"
#define OPENMETRICS "application/openmetrics-text;version=1.0.0"

struct header {
	const char *accept;
	enum flt_metrics_format format;
};

/* Headers like those of Prometheus 2 and 3, without and with native histograms. */
static const struct header of_prometheus[] = {
	{ OPENMETRICS ",application/openmetrics-text;version=0.0.1;q=0.75,"
	  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", FLT_METRICS_OPENMETRICS },
	{ PROTOBUF "," OPENMETRICS ";q=0.8,application/openmetrics-text;version=0.0.1;q=0.75,"
	  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", FLT_METRICS_PROTOBUF },
	{ PROTOBUF ";q=0.6," OPENMETRICS ";escaping=allow-utf-8;q=0.5,"
	  "application/openmetrics-text;version=0.0.1;q=0.4,"
	  "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,"
	  "*/*;q=0.1", FLT_METRICS_PROTOBUF },
	{ OPENMETRICS ";escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3," PROTOBUF
	  ";q=0.2,*/*;q=0.1", FLT_METRICS_OPENMETRICS },
	{ NULL }
};

static const struct header of_others[] = {
	{ "", FLT_METRICS_TEXT },
	{ "*/*", FLT_METRICS_TEXT },
	{ "text/html, text/*;q=0.9, */*;q=0.8", FLT_METRICS_TEXT },
	{ "APPLICATION/OpenMetrics-Text", FLT_METRICS_OPENMETRICS },
	{ " \tapplication/openmetrics-text ; q=0.1 , text/plain ; Q=0.05", FLT_METRICS_OPENMETRICS },
	{ "text/plain, application/openmetrics-text", FLT_METRICS_TEXT },
	{ "application/openmetrics-text, text/plain", FLT_METRICS_OPENMETRICS },
	{ "text/plain;q=0.999," OPENMETRICS ";q=1.000", FLT_METRICS_OPENMETRICS },
	/* Refused, or invalid. */
	{ OPENMETRICS ";q=0", FLT_METRICS_TEXT },
	{ OPENMETRICS ";q=0.000," PROTOBUF ";q=0.001", FLT_METRICS_PROTOBUF },
	{ OPENMETRICS ";q=1.001", FLT_METRICS_TEXT },
	{ OPENMETRICS ";q=", FLT_METRICS_TEXT },
	{ OPENMETRICS ";q", FLT_METRICS_TEXT },
	{ OPENMETRICS ";q=-1", FLT_METRICS_TEXT },
	{ OPENMETRICS ";q=0,5", FLT_METRICS_TEXT },
	{ OPENMETRICS ";q=0.5x", FLT_METRICS_TEXT },
	{ "application/openmetrics-textual", FLT_METRICS_TEXT },
	{ "application/openmetrics", FLT_METRICS_TEXT },
	{ ",,;;=,;q=1,", FLT_METRICS_TEXT },
	/* Another schema, or another encoding. */
	{ "application/vnd.google.protobuf;proto=other.Family;encoding=delimited",
	  FLT_METRICS_TEXT },
	{ "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text",
	  FLT_METRICS_TEXT },
	{ NULL }
};

/* Read a copy without anything behind it, so that the sanitizer sees a read past the end. */
static void compare(const struct header *h)
{
	char *copy;

	for (; h->accept; h++) {
		copy = strdup(h->accept);
		if (export_accept_format(copy) != h->format)
			fail_msg("Accept: %s", h->accept);
		free(copy);
	}
}

static void prometheus_gets_what_it_prefers(void **state)
{
	(void)state;
	compare(of_prometheus);
}

static void others_get_what_they_name(void **state)
{
	(void)state;
	assert_int_equal(export_accept_format(NULL), FLT_METRICS_TEXT);
	compare(of_others);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prometheus_gets_what_it_prefers),
		cmocka_unit_test(others_get_what_they_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
