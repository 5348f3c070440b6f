// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/counts/rates.h"
#include "model/counts/thread_rates.h"

static struct flt_thread_rates rates;
static struct flt_rows news;

/* Add a snapshot of process id. faults holds thread * 1000 + count per thread, ended by 0. */
static void look(uint64_t id, bool torn, const uint64_t *faults)
{
	struct flt_rows threads = { 0 };
	struct flt_row row = { .tgid = (uint32_t)id };

	for (; *faults; faults++) {
		/* 13004 means thread 13 with 4 faults. */
		row.id = row.tid = (uint32_t)(*faults / 1000);
		row.account.minor = *faults % 1000;
		assert_int_equal(flt_rows_add(&threads, &row), 0);
	}
	news.count = 0;
	assert_int_equal(flt_thread_rates_add(&rates, id, torn, &threads, &news), 0);
	assert_null(threads.row);
	flt_rates_order(&news);
}

#define LOOK(id, ...) look(id, false, (const uint64_t[]){ __VA_ARGS__, 0 })

static int end(void **state)
{
	(void)state;
	flt_thread_rates_free(&rates);
	flt_rows_free(&news);
	return 0;
}

/* Faults before the first snapshot are not reported. */
static void first_snapshot_gives_no_rates(void **state)
{
	(void)state;
	LOOK(7, 2900, 1500);
	assert_int_equal(news.count, 0);
	/* Thread 1 is idle, 2 faults, 3 is new. The rows are unordered. */
	LOOK(7, 3004, 1500, 2910);
	assert_int_equal(news.count, 2);
	assert_int_equal(news.row[0].tid, 2);
	assert_int_equal(news.row[0].account.minor, 10);
	assert_int_equal(news.row[1].tid, 3);
	assert_int_equal(news.row[1].account.minor, 4);
	/* Thread 2 ended and its TID was reused, because the new count is lower. */
	LOOK(7, 1500, 3004, 2003);
	assert_int_equal(news.count, 1);
	assert_int_equal(news.row[0].account.minor, 3);
}

static void threads_of_new_process_are_counted_from_zero(void **state)
{
	(void)state;
	assert_int_equal(flt_thread_rates_begin(&rates, 9), 0);
	assert_int_equal(flt_thread_rates_begin(&rates, 9), 0);
	LOOK(9, 1500, 2900);
	assert_int_equal(news.count, 2);
	assert_int_equal(news.row[1].account.minor, 900);
	LOOK(9, 1500, 2901);
	assert_int_equal(news.count, 1);
	assert_int_equal(news.row[0].account.minor, 1);
}

/* A thread that is missing in a torn snapshot continues from its last count. */
static void thread_missed_by_torn_snapshot_is_not_new(void **state)
{
	(void)state;
	LOOK(7, 1500, 2900);
	look(7, true, (const uint64_t[]){ 2901, 0 });
	assert_int_equal(news.count, 1);
	LOOK(7, 1502, 2901);
	assert_int_equal(news.count, 1);
	assert_int_equal(news.row[0].account.minor, 2);
}

static void ended_processes_are_forgotten(void **state)
{
	struct flt_row p[] = { { .id = 3 }, { .id = 5, .ended = true }, { .id = 7 }, { .id = 8 } };
	struct flt_rows procs = { .row = p, .count = 4 };
	uint64_t id;

	(void)state;
	/* Insert at both ends of the ordered list, starting from its middle. */
	for (id = 0; id < 200; id++)
		LOOK((id + 100) % 200, 1500);
	for (id = 0; id < 200; id++)
		assert_true(flt_thread_rates_has(&rates, id));
	flt_thread_rates_keep(&rates, &procs);
	assert_int_equal(rates.count, 3);
	assert_true(flt_thread_rates_has(&rates, 3) && flt_thread_rates_has(&rates, 7) && flt_thread_rates_has(&rates, 8));
	flt_thread_rates_forget(&rates, 7);
	flt_thread_rates_forget(&rates, 7);
	assert_false(flt_thread_rates_has(&rates, 7));
	LOOK(7, 1600);
	assert_int_equal(news.count, 0);
	LOOK(8, 1501);
	assert_int_equal(news.row[0].account.minor, 1);
	procs.count = 0;
	flt_thread_rates_keep(&rates, &procs);
	assert_int_equal(rates.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(first_snapshot_gives_no_rates, end),
		cmocka_unit_test_teardown(threads_of_new_process_are_counted_from_zero, end),
		cmocka_unit_test_teardown(thread_missed_by_torn_snapshot_is_not_new, end),
		cmocka_unit_test_teardown(ended_processes_are_forgotten, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
