// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include <linux/flt_event.h>

/* Buckets neither overlap nor leave gaps. A bucket is at most a quarter of its floor wide. */
static void buckets_are_adjacent_and_narrow(void **state)
{
	uint64_t low, next;
	uint32_t i;

	(void)state;
	assert_int_equal(flt_bucket_floor(0), 0);
	for (i = 0; i + 1 < FLT_BUCKETS; i++) {
		low = flt_bucket_floor(i);
		next = flt_bucket_floor(i + 1);
		assert_true(next > low);
		assert_int_equal(flt_bucket_of(low), i);
		assert_int_equal(flt_bucket_of(next - 1), i);
		assert_int_equal(flt_bucket_of(next), i + 1);
		if (low >= 1u << FLT_BUCKET_SHIFT)
			assert_true((next - low) * 4 <= low);
		else
			assert_int_equal(next - low, 1);
	}
}

static void last_bucket_takes_all_large_values(void **state)
{
	(void)state;
	assert_int_equal(flt_bucket_of(UINT64_MAX), FLT_BUCKETS - 1);
	assert_int_equal(flt_bucket_of(1ull << FLT_BUCKET_OCTAVES), FLT_BUCKETS - 1);
}

static void random_values_fall_into_their_bucket(void **state)
{
	uint64_t ns, previous = 0;
	unsigned int k;
	uint32_t i;

	(void)state;
	srand(2);
	for (k = 0; k < 200000; k++) {
		ns = ((uint64_t)rand() << 31 ^ (uint64_t)rand()) >> (rand() % 62);
		i = flt_bucket_of(ns);
		assert_true(i < FLT_BUCKETS);
		assert_true(flt_bucket_floor(i) <= ns);
		assert_true(i == FLT_BUCKETS - 1 || ns < flt_bucket_floor(i + 1));
		assert_true((ns >= previous) == (flt_bucket_of(ns) >= flt_bucket_of(previous)) ||
			    flt_bucket_of(ns) == flt_bucket_of(previous));
		previous = ns;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_adjacent_and_narrow),
		cmocka_unit_test(last_bucket_takes_all_large_values),
		cmocka_unit_test(random_values_fall_into_their_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
