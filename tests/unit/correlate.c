// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test flt_correlate against values of Python's statistics.correlation(), and the parser of
 * progress lines.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/counts/correlate.h"
#include "model/counts/progress.h"

static void near(double got, double want)
{
	assert_true(fabs(got - want) < 1e-6);
}

static void correlation_matches_reference_values(void **unused)
{
	static const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const double square[] = { 1, 4, 9, 16, 25, 36, 49, 64, 81, 100 };
	static const double down[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 };
	static const double ties[] = { 3, 3, 1, 4, 4, 4, 2, 9, 2, 6 };
	static const double flat[] = { 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 };
	struct flt_coefficients c;

	(void)unused;
	assert_int_equal(flt_correlate(x, square, 10, &c), 0);
	assert_true(c.known);
	near(c.pearson, 0.9745586289152093);
	near(c.spearman, 1);
	assert_int_equal(flt_correlate(x, down, 10, &c), 0);
	near(c.pearson, -1);
	near(c.spearman, -1);
	assert_int_equal(flt_correlate(x, ties, 10, &c), 0);
	near(c.pearson, 0.4308571590681121);
	near(c.spearman, 0.3580860968453741);
	assert_int_equal(flt_correlate(x, flat, 10, &c), 0);
	assert_false(c.known);
	assert_int_equal(flt_correlate(x, square, FLT_CORRELATE_LEAST - 1, &c), 0);
	assert_false(c.known);
}

static void feed(struct flt_progress *p, const char *text)
{
	flt_progress_feed(p, text, strlen(text));
}

static void progress_is_parsed_from_text(void **unused)
{
	struct flt_progress *p;
	char why[128];
	double value;

	(void)unused;
	assert_int_equal(flt_progress_new(&p, "lines", why, sizeof(why)), 0);
	feed(p, "a\nb\nc");
	assert_true(flt_progress_value(p, &value));
	near(value, 2);
	feed(p, "\n");
	flt_progress_value(p, &value);
	near(value, 3);
	flt_progress_free(p);

	assert_int_equal(flt_progress_new(&p, "done ([0-9.]+) of", why, sizeof(why)), 0);
	feed(p, "done 7 ");
	assert_false(flt_progress_value(p, &value));
	feed(p, "of 9\rnothing\n");
	assert_true(flt_progress_value(p, &value));
	near(value, 7);
	feed(p, "done 8.5 of 9\n");
	flt_progress_value(p, &value);
	near(value, 8.5);
	flt_progress_free(p);

	assert_int_equal(flt_progress_new(&p, "[0-9]+", why, sizeof(why)), 0);
	feed(p, "at 42%\n");
	flt_progress_value(p, &value);
	near(value, 42);
	flt_progress_free(p);
	assert_int_equal(flt_progress_new(&p, "(", why, sizeof(why)), -22);
	assert_true(strlen(why) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(correlation_matches_reference_values),
		cmocka_unit_test(progress_is_parsed_from_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
