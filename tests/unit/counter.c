// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "account/counter.h"

/* Attribute numbers are ABI, because modules and readers of other versions use them. */
static void attribute_numbers_are_stable(void **state)
{
	(void)state;
	assert_int_equal(FLT_ACCOUNT_MINOR, 1);
	assert_int_equal(FLT_ACCOUNT_MAJOR, 2);
	assert_int_equal(FLT_ACCOUNT_FAILED, 3);
	assert_int_equal(FLT_ACCOUNT_RETRIED, 4);
	assert_int_equal(FLT_ACCOUNT_MISSED, 5);
	assert_int_equal(FLT_ACCOUNT_REMOTE, 6);
	assert_int_equal(FLT_ACCOUNT_STITCHED, 7);
	assert_int_equal(FLT_ACCOUNT_ATTEMPTS, 8);
	assert_int_equal(FLT_ACCOUNT_DROPPED, 9);
	assert_int_equal(FLT_ACCOUNT_LATENCY_SUM, 10);
	assert_int_equal(FLT_ACCOUNT_LATENCY_MAX, 11);
	assert_int_equal(FLT_ACCOUNT_KIND, 12);
	assert_int_equal(FLT_ACCOUNT_OCTAVES, 13);
	assert_int_equal(FLT_ACCOUNT_PAD, 14);
	assert_int_equal(FLT_TALLY_PROCS_RETIRED, 10);
	assert_int_equal(FLT_TALLY_LOST_PROC, 11);
	assert_int_equal(FLT_TALLY_LOST_TASK, 12);
	assert_int_equal(FLT_TALLY_LOST_BUSY, 13);
	assert_int_equal(FLT_TALLY_LOST_FULL, 14);
	assert_int_equal(FLT_TALLY_CLOCK_BACK, 15);
	assert_int_equal(FLT_TALLY_NOW, 16);
	assert_int_equal(FLT_TALLY_FORGOTTEN, 18);
	assert_int_equal(FLT_TALLY_MAX, 18);
}

/* Each row has its own valid attribute and its own offset in the account. */
static void rows_have_distinct_attributes(void **state)
{
	struct flt_account account = { 0 };
	const struct flt_counter *c;
	uint32_t seen = 1u << FLT_ACCOUNT_KIND | 1u << FLT_ACCOUNT_OCTAVES | 1u << FLT_ACCOUNT_PAD;
	size_t i;

	(void)state;
	for (i = 0; (c = flt_counter_at(i)); i++) {
		assert_in_range(c->attribute, 1, FLT_ACCOUNT_MAX);
		assert_false(seen >> c->attribute & 1);
		seen |= 1u << c->attribute;
		assert_int_equal(flt_counter_read(c, &account), 0);
		*flt_counter_in(c, &account) = i + 1;
		assert_true(c->bits == 64 || c->bits == 32);
		assert_non_null(c->meaning);
	}
	for (i = 0; (c = flt_counter_at(i)); i++)
		assert_int_equal(flt_counter_read(c, &account), i + 1);
	assert_int_equal(account.minor, 1);
	assert_int_equal(account.kinds[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attribute_numbers_are_stable),
		cmocka_unit_test(rows_have_distinct_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
