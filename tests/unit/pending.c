// SPDX-License-Identifier: GPL-2.0-or-later
/* pending.c - notes find their faults, also if they overtake the fault before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "source/stream/pending.h"

static void add(struct flt_stream_pending *p, uint32_t tid, uint64_t time)
{
	uint64_t *bytes = flt_stream_pending_add(p, tid, time, sizeof(*bytes));

	assert_non_null(bytes);
	*bytes = time;
}

/* The bytes that belong to a fault, or 0. */
static uint64_t of(struct flt_stream_pending *p, uint32_t tid, uint64_t time)
{
	const struct flt_fault fault = { .tid = tid, .time = time };
	const uint64_t *bytes = flt_stream_pending_of(p, &fault);

	return bytes ? *bytes : 0;
}

static void test_order(void **state)
{
	struct flt_stream_pending *p;

	(void)state;
	assert_int_equal(flt_stream_pending_new(&p), 0);
	add(p, 1, 100);
	assert_int_equal(of(p, 1, 100), 100);
	assert_int_equal(of(p, 1, 100), 0);
	/* By the clocks of two CPUs, the second fault begins before the first one ends. */
	add(p, 1, 200);
	add(p, 1, 300);
	assert_int_equal(of(p, 1, 200), 200);
	assert_int_equal(of(p, 1, 300), 300);
	/* Other threads, also of the same chain, have notes of their own. */
	add(p, 1, 400);
	add(p, 1025, 400);
	assert_int_equal(of(p, 1025, 400), 400);
	assert_int_equal(of(p, 1, 400), 400);
	flt_stream_pending_free(p);
}

static void test_losses(void **state)
{
	struct flt_stream_pending *p;
	uint32_t i;

	(void)state;
	assert_int_equal(flt_stream_pending_new(&p), 0);
	/* The note of a lost fault does not serve the next one. A fault without note gets none. */
	add(p, 1, 100);
	assert_int_equal(of(p, 1, 200), 0);
	assert_int_equal(of(p, 1, 100), 0);
	/* More notes of lost faults than are kept. */
	for (i = 1; i <= 10000; i++)
		add(p, i, 100);
	assert_int_equal(of(p, 10000, 100), 100);
	assert_int_equal(of(p, 1, 100), 0);
	flt_stream_pending_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
