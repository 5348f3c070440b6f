// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "model/counts/hist.h"
#include "view/terminal/bars.h"

/* Return the upper end of the bucket of ns. */
static uint64_t end_of(uint64_t ns)
{
	return flt_bucket_floor(flt_bucket_of(ns) + 1) - 1;
}

static void put(struct flt_hist *hist, uint64_t ns, uint64_t n)
{
	hist->count[flt_bucket_of(ns)] += n;
}

static void empty_histogram_has_no_quantiles(void **state)
{
	struct flt_hist hist = { 0 };

	(void)state;
	assert_int_equal(flt_hist_total(&hist), 0);
	assert_int_equal(flt_hist_percentile(&hist, 50000), 0);
	assert_int_equal(flt_hist_mean(&hist), 0);
	assert_int_equal(flt_hist_max(&hist), 0);
}

/* 1000 faults: 500 of 1 us, 400 of 10 us, 90 of 1 ms, 9 of 5 ms, 1 of 50 ms. */
static void quantiles_of_known_values(void **state)
{
	struct flt_hist hist = { 0 };

	(void)state;
	put(&hist, 1000, 500);
	put(&hist, 10000, 400);
	put(&hist, 1000000, 90);
	put(&hist, 5000000, 9);
	put(&hist, 50000000, 1);
	assert_int_equal(flt_hist_total(&hist), 1000);
	assert_int_equal(flt_hist_percentile(&hist, 50000), end_of(1000));
	assert_int_equal(flt_hist_percentile(&hist, 50001), end_of(10000));
	assert_int_equal(flt_hist_percentile(&hist, 90000), end_of(10000));
	assert_int_equal(flt_hist_percentile(&hist, 99000), end_of(1000000));
	assert_int_equal(flt_hist_percentile(&hist, 99900), end_of(5000000));
	assert_int_equal(flt_hist_percentile(&hist, 100000), end_of(50000000));
	assert_int_equal(flt_hist_max(&hist), end_of(50000000));
	hist.max = 50000001;
	assert_int_equal(flt_hist_max(&hist), 50000001);
	assert_int_equal(flt_hist_percentile(&hist, 100000), 50000001);
	assert_int_equal(flt_hist_percentile(&hist, 99900), end_of(5000000));
	hist.sum = 2000000;
	assert_int_equal(flt_hist_mean(&hist), 2000);
	hist.max = 0;
	hist.cap = 50000002;
	assert_int_equal(flt_hist_max(&hist), 50000002);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Each quantile is the upper end of the bucket that contains the exact quantile. */
static void quantiles_match_sorted_values(void **state)
{
	static const uint32_t parts[] = { 1, 1000, 50000, 90000, 99000, 99900, 99999, 100000 };
	uint64_t ns[777] = { 0 };
	size_t n, i, p;

	(void)state;
	srand(7);
	for (n = 1; n <= 777; n += 97) {
		struct flt_hist hist = { 0 }, octaves = { .octaves = true };
		struct flt_account account = { 0 };
		uint64_t sum = 0, guess;

		for (i = 0; i < n; i++) {
			ns[i] = (uint64_t)rand() >> (rand() % 28);
			put(&hist, ns[i], 1);
			account.octaves[flt_bucket_of(ns[i]) >> FLT_BUCKET_SHIFT]++;
			sum += ns[i];
		}
		flt_hist_account(&octaves, &account);
		qsort(ns, n, sizeof(*ns), compare);
		for (p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
			uint64_t truth = ns[(n * parts[p] + 99999) / 100000 - 1];

			assert_int_equal(flt_hist_percentile(&hist, parts[p]), end_of(truth));
			assert_true(flt_hist_percentile(&octaves, parts[p]) >= truth);
			assert_true(flt_hist_percentile(&octaves, parts[p]) <= 2 * truth + 4);
		}
		guess = flt_hist_mean(&hist);
		assert_true(guess * 8 >= sum / n * 7 - 8 && guess * 8 <= sum / n * 9 + 8);
	}
}

static void subtraction_gives_new_values(void **state)
{
	struct flt_hist before = { .sum = 1000, .max = 600 }, after, news;

	(void)state;
	put(&before, 400, 1);
	put(&before, 600, 1);
	after = before;
	put(&after, 400, 5);
	after.sum += 2000;
	assert_false(flt_hist_subtract(&after, &before, &news));
	assert_int_equal(flt_hist_total(&news), 5);
	assert_int_equal(news.sum, 2000);
	/* The maximum is from before, so only the bucket of the new maximum is known. */
	assert_int_equal(flt_hist_max(&news), end_of(400));
	after.max = 700;
	put(&after, 700, 1);
	assert_false(flt_hist_subtract(&after, &before, &news));
	assert_int_equal(flt_hist_max(&news), 700);
	assert_true(flt_hist_subtract(&before, &after, &news));
	assert_int_equal(flt_hist_total(&news), 2);
}

static void octaves_sum_up_buckets(void **state)
{
	struct flt_hist hist = { 0 };
	uint64_t sum = 0;
	uint32_t o;

	(void)state;
	put(&hist, 5000000, 3);
	put(&hist, 8388607, 4);
	put(&hist, 8388608, 1);
	for (o = 0; o < FLT_OCTAVES; o++) {
		sum += flt_hist_octave(&hist, o);
		if (flt_hist_octave_floor(o) == 4194304)
			assert_int_equal(flt_hist_octave(&hist, o), 7);
	}
	assert_int_equal(sum, 8);
}

static void bars_have_proportional_length(void **state)
{
	static const struct flt_bar rows[] = {
		{ "512ns - 1.02us", 1000, "p50" }, { "1.02us - 2.04us", 0, NULL },
		{ "2.04us - 4.09us", 1, "p99" },
	};
	struct flt_bars_style style = { .width = 80 };
	size_t size, longest = 0, line;
	char *text, *at;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	flt_bars_write(out, rows, 3, "latency", "faults", &style);
	fclose(out);
	assert_string_equal(text,
		"        latency      faults    share    up to\n"
		" 512ns - 1.02us        1000   99.90%   99.90%  ############################# p50\n"
		"1.02us - 2.04us           0    0.00%   99.90%\n"
		"2.04us - 4.09us           1    0.10%  100.00%  # p99\n");
	for (at = text; *at; at += line + 1) {
		line = strcspn(at, "\n");
		longest = line > longest ? line : longest;
	}
	assert_true(longest <= 80);
	free(text);

	style.unicode = style.color = true;
	out = open_memstream(&text, &size);
	flt_bars_write(out, rows + 2, 1, "latency", "faults", &style);
	fclose(out);
	assert_non_null(strstr(text, "\033[36m██"));
	free(text);

	out = open_memstream(&text, &size);
	flt_bars_write(out, rows + 1, 1, "latency", "faults", &style);
	fclose(out);
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_histogram_has_no_quantiles),
		cmocka_unit_test(quantiles_of_known_values),
		cmocka_unit_test(quantiles_match_sorted_values),
		cmocka_unit_test(subtraction_gives_new_values),
		cmocka_unit_test(octaves_sum_up_buckets),
		cmocka_unit_test(bars_have_proportional_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
