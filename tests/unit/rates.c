// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/counts/rates.h"

static struct flt_row row(uint64_t id, uint32_t tgid, uint64_t minor, uint64_t major)
{
	return (struct flt_row){ .id = id, .tgid = tgid, .account = { .minor = minor,
								      .major = major } };
}

static void subtraction_gives_difference(void **state)
{
	struct flt_account before = { .minor = 10, .major = 1, .attempts = 3, .latency_max = 500,
				      .kinds = { [FLT_KIND_COW] = 4 } };
	struct flt_account after = { .minor = 15, .major = 1, .retried = 2, .attempts = 4,
				     .latency_max = 900, .kinds = { [FLT_KIND_COW] = 6 } };
	struct flt_account got;

	(void)state;
	assert_false(flt_rates_subtract(&after, &before, &got));
	assert_int_equal(got.minor, 5);
	assert_int_equal(got.major, 0);
	assert_int_equal(got.retried, 2);
	assert_int_equal(got.kinds[FLT_KIND_COW], 2);
	assert_int_equal(got.attempts, 4);
	assert_int_equal(got.latency_max, 900);
	/* The result may overwrite an operand, as callers do. */
	assert_false(flt_rates_subtract(&after, &before, &after));
	assert_int_equal(after.minor, 5);
}

/* If any counter decreased, the account was reset. A fault may change its kind when it ends. */
static void decreased_counter_means_reset(void **state)
{
	struct flt_account before = { .minor = 10 }, after = { .minor = 9, .major = 2 }, got;

	(void)state;
	assert_true(flt_rates_subtract(&after, &before, &got));
	assert_int_equal(got.minor, 9);
	assert_int_equal(got.major, 2);
	before = (struct flt_account){ .minor = 1, .kinds = { [FLT_KIND_ANON] = 1 } };
	after = (struct flt_account){ .minor = 2, .kinds = { [FLT_KIND_HUGE] = 2 } };
	assert_false(flt_rates_subtract(&after, &before, &got));
	assert_int_equal(got.minor, 1);
	assert_int_equal(got.kinds[FLT_KIND_ANON], 0);
	assert_int_equal(got.kinds[FLT_KIND_HUGE], 2);
	after = (struct flt_account){ .minor = 5 };
	before = (struct flt_account){ .minor = 1, .kinds_beyond = 1 };
	assert_true(flt_rates_subtract(&after, &before, &got));
}

static void accounts_are_added(void **state)
{
	struct flt_account sum = { .minor = 1, .latency_max = 5, .attempts = 1 };
	const struct flt_account more = { .minor = 2, .failed = 3, .latency_max = 4, .attempts = 9,
					  .kinds = { [FLT_KIND_MAX] = 1 } };

	(void)state;
	flt_rates_add(&sum, &more);
	assert_int_equal(sum.minor, 3);
	assert_int_equal(sum.failed, 3);
	assert_int_equal(sum.latency_max, 5);
	assert_int_equal(sum.attempts, 9);
	assert_int_equal(sum.kinds[FLT_KIND_MAX], 1);
	assert_int_equal(flt_rates_ended(&sum), 6);
}

static void new_and_ended_rows_are_counted(void **state)
{
	/* 1 is idle, 2 faults, 3 ends, 4 is new, 5 is a new process that reuses PID 30. */
	struct flt_row b[] = { row(2, 20, 100, 1), row(1, 10, 7, 0), row(3, 30, 50, 5) };
	struct flt_row a[] = { row(5, 30, 4, 0), row(1, 10, 7, 0), row(4, 40, 9, 2),
			       row(2, 20, 120, 1) };
	struct flt_rows before = { .row = b, .count = 3 }, after = { .row = a, .count = 4 };
	struct flt_rows out = { 0 };
	struct flt_account gone = { 0 };
	uint64_t count;

	(void)state;
	flt_rates_order(&before);
	flt_rates_order(&after);
	assert_int_equal(flt_rates_between(&before, &after, &out, &gone, &count), 0);
	flt_rates_rank(&out);
	assert_int_equal(out.count, 3);
	assert_int_equal(out.row[0].tgid, 20);
	assert_int_equal(out.row[0].account.minor, 20);
	assert_int_equal(out.row[1].tgid, 40);
	assert_int_equal(out.row[1].account.minor, 9);
	assert_int_equal(out.row[2].tgid, 30);
	assert_int_equal(out.row[2].account.minor, 4);
	assert_int_equal(count, 1);
	assert_int_equal(gone.minor, 50);
	assert_int_equal(gone.major, 5);
	flt_rows_free(&out);
}

static void empty_snapshots_are_compared(void **state)
{
	struct flt_row a[] = { row(1, 10, 7, 0), row(2, 20, 0, 0) };
	struct flt_rows before = { 0 }, after = { .row = a, .count = 2 }, out = { 0 };
	uint64_t count;

	(void)state;
	assert_int_equal(flt_rates_between(&before, &after, &out, NULL, &count), 0);
	assert_int_equal(out.count, 1);
	assert_int_equal(count, 0);
	assert_int_equal(flt_rates_between(&after, &before, &out, NULL, &count), 0);
	assert_int_equal(out.count, 0);
	assert_int_equal(count, 2);
	flt_rows_free(&out);
}

/* The torn snapshot missed rows 1 and 4. */
static void torn_snapshot_keeps_missed_rows(void **state)
{
	struct flt_row b[] = { row(1, 10, 7, 0), row(2, 20, 100, 1), row(4, 40, 50, 5) };
	struct flt_rows before = { .row = b, .count = 3 }, after = { 0 };
	struct flt_row a[] = { row(2, 20, 120, 1), row(3, 30, 4, 0) };
	size_t i;

	(void)state;
	assert_null(flt_rates_find(&after, 2));
	for (i = 0; i < 2; i++)
		assert_int_equal(flt_rows_add(&after, &a[i]), 0);
	assert_int_equal(flt_rates_keep(&after, &before), 0);
	assert_int_equal(after.count, 4);
	for (i = 0; i < 4; i++)
		assert_int_equal(after.row[i].id, i + 1);
	assert_int_equal(flt_rates_find(&after, 1)->account.minor, 7);
	assert_int_equal(flt_rates_find(&after, 2)->account.minor, 120);
	assert_int_equal(flt_rates_find(&after, 4)->account.minor, 50);
	assert_null(flt_rates_find(&after, 5));
	assert_null(flt_rates_find(&after, 0));
	flt_rows_free(&after);
}

static void counts_are_scaled_to_seconds(void **state)
{
	(void)state;
	assert_true(flt_rates_per_second(100, 500000000) == 200.0);
	assert_true(flt_rates_per_second(100, 0) == 0.0);
	assert_true(flt_rates_per_second(UINT64_MAX, 1) > 1e28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subtraction_gives_difference),
		cmocka_unit_test(decreased_counter_means_reset),
		cmocka_unit_test(accounts_are_added),
		cmocka_unit_test(new_and_ended_rows_are_counted),
		cmocka_unit_test(empty_snapshots_are_compared),
		cmocka_unit_test(counts_are_scaled_to_seconds),
		cmocka_unit_test(torn_snapshot_keeps_missed_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
