// SPDX-License-Identifier: GPL-2.0-or-later
/* Compare the digits of numbers with those of printf(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>

#include "text/digits.h"

static void compare(uint64_t value)
{
	char got[FLT_DIGITS_MAX + 1], want[FLT_DIGITS_MAX + 1];

	*flt_digits_decimal(got, value) = 0;
	snprintf(want, sizeof(want), "%" PRIu64, value);
	assert_string_equal(got, want);
	*flt_digits_hex(got, value) = 0;
	snprintf(want, sizeof(want), "%" PRIx64, value);
	assert_string_equal(got, want);
}

static void digits_equal_printf(void **state)
{
	uint64_t value, random = 88172645463325252ull;
	unsigned int i;

	(void)state;
	for (value = 0; value < 20000; value++)
		compare(value);
	for (value = 1; value < UINT64_MAX / 10; value *= 10) {
		compare(value - 1);
		compare(value);
		compare(value * 9);
	}
	for (i = 0; i < 64; i++) {
		compare((1ull << i) - 1);
		compare(1ull << i);
	}
	compare(UINT64_MAX);
	for (i = 0; i < 100000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		compare(random >> i % 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_equal_printf),
	};

	return cmocka_run_group_tests_name("digits", tests, NULL, NULL);
}
