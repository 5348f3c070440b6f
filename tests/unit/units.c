// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "text/units.h"

static void durations_are_parsed(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t ns;
	} cases[] = {
		{ "3us", 0, 3000 },
		{ "10ms", 0, 10000000 },
		{ "2", 0, 2000000000 },
		{ "0.25", 0, 250000000 },
		{ "1.5s", 0, 1500000000 },
		{ "1.0000000019s", 0, 1000000001 },
		{ "2m", 0, 120000000000 },
		{ "1h", 0, 3600000000000 },
		{ "7NS", 0, 7 },
		{ "0", 0, 0 },
		{ "18446744073709551615ns", 0, UINT64_MAX },
		{ "18446744073709551616ns", -ERANGE, 0 },
		{ "99999999999999h", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ ".5", -EINVAL, 0 },
		{ "5.", -EINVAL, 0 },
		{ "-1s", -EINVAL, 0 },
		{ "+1s", -EINVAL, 0 },
		{ " 1s", -EINVAL, 0 },
		{ "1s ", -EINVAL, 0 },
		{ "1 s", -EINVAL, 0 },
		{ "1x", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
	};
	uint64_t ns;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ns = 0;
		if (flt_units_read_duration(cases[i].text, FLT_NSEC_PER_SEC, &ns) != cases[i].ret ||
		    ns != cases[i].ns)
			fail_msg("'%s' gave %llu", cases[i].text, (unsigned long long)ns);
	}
}

static void sizes_are_parsed(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t bytes;
	} cases[] = {
		{ "140", 0, 140ull << 20 },
		{ "2GiB", 0, 2ull << 30 },
		{ "512K", 0, 512 << 10 },
		{ "512kb", 0, 512 << 10 },
		{ "1.5GiB", 0, 3ull << 29 },
		{ "4096B", 0, 4096 },
		{ "16777215T", 0, 16777215ull << 40 },
		{ "16777216T", -ERANGE, 0 },
		{ "17592186044416", -ERANGE, 0 },
		{ "1KiBs", -EINVAL, 0 },
		{ "MB", -EINVAL, 0 },
	};
	uint64_t bytes;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bytes = 0;
		if (flt_units_read_size(cases[i].text, FLT_MIB, &bytes) != cases[i].ret ||
		    bytes != cases[i].bytes)
			fail_msg("'%s' gave %llu", cases[i].text, (unsigned long long)bytes);
	}
}

static void numbers_are_parsed(void **state)
{
	uint64_t value = 0;

	(void)state;
	assert_int_equal(flt_units_read_u64("18446744073709551615", &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(flt_units_read_u64("18446744073709551616", &value), -ERANGE);
	assert_int_equal(flt_units_read_u64("0xff", &value), 0);
	assert_int_equal(value, 255);
	assert_int_equal(flt_units_read_u64("0x", &value), -EINVAL);
	assert_int_equal(flt_units_read_u64("12a", &value), -EINVAL);
	assert_int_equal(flt_units_read_u64("-1", &value), -EINVAL);
	assert_int_equal(value, 255);
}

static void values_are_formatted(void **state)
{
	char text[FLT_UNITS_TEXT];

	(void)state;
	assert_string_equal(flt_units_write_ns(text, 0), "0ns");
	assert_string_equal(flt_units_write_ns(text, 999), "999ns");
	assert_string_equal(flt_units_write_ns(text, 3214), "3.21us");
	assert_string_equal(flt_units_write_ns(text, 999499), "999us");
	assert_string_equal(flt_units_write_ns(text, 999500), "1.00ms");
	assert_string_equal(flt_units_write_ns(text, 45000000), "45.0ms");
	assert_string_equal(flt_units_write_ns(text, 99990000000), "100s");
	assert_string_equal(flt_units_write_ns(text, 200000000000), "3m20s");
	assert_string_equal(flt_units_write_ns(text, 7260000000000), "2h01m");
	assert_true(strlen(flt_units_write_ns(text, UINT64_MAX)) < FLT_UNITS_TEXT);
	assert_string_equal(flt_units_write_size(text, 512), "512B");
	assert_string_equal(flt_units_write_size(text, 140ull << 20), "140MiB");
	assert_string_equal(flt_units_write_size(text, 3ull << 29), "1.50GiB");
	assert_string_equal(flt_units_write_size(text, 1023), "1023B");
	assert_true(strlen(flt_units_write_size(text, UINT64_MAX)) < FLT_UNITS_TEXT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_are_parsed),
		cmocka_unit_test(sizes_are_parsed),
		cmocka_unit_test(numbers_are_parsed),
		cmocka_unit_test(values_are_formatted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
