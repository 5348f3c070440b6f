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

/* A look at process id with threads whose faults are these, ended by 0. */
static void look(uint64_t id, bool torn, const uint64_t *faults)
{
	struct flt_rows threads = { 0 };
	struct flt_row row = { .tgid = (uint32_t)id };

	for (; *faults; faults++) {
		/* 13004: four faults of thread 13. */
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

/* What its threads did before the first look nobody asked for. */
static void older(void **state)
{
	(void)state;
	LOOK(7, 2900, 1500);
	assert_int_equal(news.count, 0);
	/* 1 idles, 2 faults, 3 is new, in no order. */
	LOOK(7, 3004, 1500, 2910);
	assert_int_equal(news.count, 2);
	assert_int_equal(news.row[0].tid, 2);
	assert_int_equal(news.row[0].account.minor, 10);
	assert_int_equal(news.row[1].tid, 3);
	assert_int_equal(news.row[1].account.minor, 4);
	/* 2 ended; its number is another's now, as fewer faults say. */
	LOOK(7, 1500, 3004, 2003);
	assert_int_equal(news.count, 1);
	assert_int_equal(news.row[0].account.minor, 3);
}

static void younger(void **state)
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

/* A thread that a torn look missed is not new when it is seen again. */
static void torn(void **state)
{
	(void)state;
	LOOK(7, 1500, 2900);
	look(7, true, (const uint64_t[]){ 2901, 0 });
	assert_int_equal(news.count, 1);
	LOOK(7, 1502, 2901);
	assert_int_equal(news.count, 1);
	assert_int_equal(news.row[0].account.minor, 2);
}

static void forgotten(void **state)
{
	struct flt_row p[] = { { .id = 3 }, { .id = 5, .ended = true }, { .id = 7 }, { .id = 8 } };
	struct flt_rows procs = { .row = p, .count = 4 };
	uint64_t id;

	(void)state;
	/* From the middle, so that each finds its place. */
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
		cmocka_unit_test_teardown(older, end),
		cmocka_unit_test_teardown(younger, end),
		cmocka_unit_test_teardown(torn, end),
		cmocka_unit_test_teardown(forgotten, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
