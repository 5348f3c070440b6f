// SPDX-License-Identifier: GPL-2.0-or-later
/* The picture of bars that are split into shares. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/units.h"
#include "view/svg/shares.h"

static char *draw(const uint64_t (*amounts)[3], size_t count)
{
	static const struct flt_shares_part parts[] = {
		{ "other", "#111111" }, { "a <wait>", "#222222" }, { "copy", "#333333" },
	};
	struct flt_shares_bar bars[4];
	const struct flt_shares shares = {
		.title = "title", .heading = "latency", .parts = parts, .part_count = 3,
		.bars = bars, .count = count, .write_amount = flt_units_write_ns,
	};
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < count; i++)
		bars[i] = (struct flt_shares_bar){ "1us - 2us", amounts[i] };
	flt_shares_write(out, &shares);
	fclose(out);
	return text;
}

/* Add up the widths of the shares, and count them. */
static double widths(const char *text, size_t *count)
{
	double sum = 0;

	*count = 0;
	while ((text = strstr(text, "class=\"share\""))) {
		text = strstr(text, "width=\"") + 7;
		sum += strtod(text, NULL);
		++*count;
	}
	return sum;
}

static void shares_fill_each_bar(void **state)
{
	static const uint64_t amounts[][3] = { { 250, 750, 0 }, { 7, 11, 13 }, { 0, 0, 0 } };
	char *text = draw(amounts, 3);
	size_t count;

	(void)state;
	assert_float_equal(widths(text, &count), 2 * 640, 0.05);
	assert_int_equal(count, 5);
	free(text);
}

static void the_pointer_shows_the_amount_of_a_share(void **state)
{
	static const uint64_t amounts[][3] = { { 250, 750, 0 } };
	char *text = draw(amounts, 1);

	(void)state;
	assert_non_null(strstr(text, "<title>1us - 2us: a &lt;wait&gt; 750ns, 75.0 %</title>"));
	free(text);
}

static void sums_leave_out_parts_without_an_amount(void **state)
{
	static const uint64_t amounts[][3] = { { 250, 750, 0 }, { 1000, 0, 0 } };
	char *text = draw(amounts, 2);

	(void)state;
	assert_non_null(strstr(text, ">62.5 % other<"));
	assert_non_null(strstr(text, ">37.5 % a &lt;wait&gt;<"));
	assert_null(strstr(text, "copy"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_fill_each_bar),
		cmocka_unit_test(the_pointer_shows_the_amount_of_a_share),
		cmocka_unit_test(sums_leave_out_parts_without_an_amount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
