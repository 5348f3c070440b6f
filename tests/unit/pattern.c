// SPDX-License-Identifier: GPL-2.0-or-later
/* Test each pattern with several seeds, and the limits between patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/memory/pattern.h"

#define SEEDS 10
#define PAGES 2048u
#define BASE 0x7f0000000ull

static uint64_t state;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void seed(unsigned int n)
{
	state = 88172645463325252ull + n * 0x9e3779b97f4a7c15ull;
}

static void put(struct flt_pattern *p, uint64_t page, uint32_t thread, uint32_t around, bool again)
{
	const struct flt_visit t = { BASE + page, thread, 1, around, again };

	flt_pattern_add(p, &t);
}

static void expect(struct flt_pattern *p, const char *name, enum flt_order order, enum flt_reuse reuse)
{
	struct flt_verdict v = flt_pattern_classify(p);

	assert_string_equal(v.name, name);
	assert_int_equal(v.order, order);
	assert_int_equal(v.reuse, reuse);
	flt_pattern_free(p);
}

/* Add a fault at a random page with probability 1 / every. */
static void noise(struct flt_pattern *p, uint32_t thread, unsigned int every)
{
	if (every && next() % every == 0)
		put(p, 1u << 20 | next() % 100000, thread, 1, false);
}

static void steps_of_one_page_are_sequential(void **unused)
{
	unsigned int s, n, i;

	(void)unused;
	for (s = 0; s < SEEDS; s++) {
		struct flt_pattern *forward = flt_pattern_new(), *backward = flt_pattern_new();

		seed(s);
		n = 64 + next() % PAGES;
		for (i = 0; i < n; i++) {
			put(forward, i, 7, 1, false);
			put(backward, n - i, 7, 1, false);
			noise(forward, 7, 10);
			noise(backward, 7, 10);
		}
		expect(forward, "sequential", FLT_ORDER_FORWARD, FLT_REUSE_ONCE);
		expect(backward, "sequential", FLT_ORDER_BACKWARD, FLT_REUSE_ONCE);
	}
}

/* Threads fault in turn or at random. The verdict does not depend on their thread ids. */
static void thread_ids_do_not_matter(void **unused)
{
	static const uint32_t apart[] = { 1, 8, 16, 4096 };
	struct flt_verdict v, first = { 0 };
	unsigned int s, i, t, a;

	(void)unused;
	for (s = 0; s < SEEDS; s++)
		for (a = 0; a < 4; a++) {
			struct flt_pattern *p = flt_pattern_new();
			uint64_t at[8] = { 0 };

			seed(s);
			for (i = 0; i < 4000; i++) {
				t = s % 2 ? i % 8 : next() % 8;
				at[t] += t % 3 ? 1 : 16;
				put(p, (t + 1) * 1000000ull + at[t], 100 + t * apart[a], s % 3 ? 1 : 16, false);
				noise(p, 100 + t * apart[a], 10);
			}
			v = flt_pattern_classify(p);
			if (!a)
				first = v;
			assert_int_equal(v.order, first.order);
			assert_int_equal(v.steps, first.steps);
			assert_int_equal(v.share, first.share);
			flt_pattern_free(p);
		}
}

static void equal_steps_are_strided(void **unused)
{
	static const int strides[] = { 2, 3, 16, 17, 64, 511, -2, -16, -33, 4096 };
	unsigned int s, i;

	(void)unused;
	for (s = 0; s < SEEDS; s++) {
		struct flt_pattern *p = flt_pattern_new();
		struct flt_verdict v;

		seed(s);
		for (i = 0; i < 500; i++) {
			put(p, (uint64_t)(5000000 + (int64_t)i * strides[s]), 1, 1, false);
			noise(p, 1, 15);
		}
		v = flt_pattern_classify(p);
		assert_int_equal(v.stride, strides[s]);
		expect(p, "strided", FLT_ORDER_STRIDED, FLT_REUSE_ONCE);
	}
}

static void shuffle(uint32_t *order, unsigned int n)
{
	unsigned int i, k;
	uint32_t t;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n; i > 1; i--) {
		k = next() % i;
		t = order[i - 1];
		order[i - 1] = order[k];
		order[k] = t;
	}
}

static void shuffled_pages_are_random(void **unused)
{
	static uint32_t order[PAGES];
	unsigned int s, n, i;

	(void)unused;
	for (s = 0; s < SEEDS; s++) {
		struct flt_pattern *once = flt_pattern_new(), *file = flt_pattern_new();

		seed(s);
		n = 256 + next() % (PAGES - 256);
		shuffle(order, n);
		for (i = 0; i < n; i++) {
			put(once, order[i], 1, 1, false);
			/* A cached file faults once per window, at any page in it. */
			put(file, order[i] * 16ull + next() % 16, 1, 16, false);
		}
		expect(once, "random", FLT_ORDER_RANDOM, FLT_REUSE_ONCE);
		expect(file, "random", FLT_ORDER_RANDOM, FLT_REUSE_ONCE);
	}
}

static void repeated_refaults_are_thrashing(void **unused)
{
	unsigned int s, i, pass;

	(void)unused;
	for (s = 0; s < SEEDS; s++) {
		struct flt_pattern *forward = flt_pattern_new(), *random = flt_pattern_new();

		seed(s);
		for (pass = 0; pass < 2 + s % 3; pass++)
			for (i = 0; i < 300; i++)
				put(forward, i, 1, 1, pass > 0);
		for (i = 0; i < 1000; i++)
			put(random, next() % 200, 1, 1, i >= 200);
		expect(forward, "thrashing", FLT_ORDER_FORWARD, FLT_REUSE_THRASHING);
		expect(random, "thrashing", FLT_ORDER_RANDOM, FLT_REUSE_THRASHING);
	}
}

/* Forward with random gaps is neither sequential nor strided, but touches each page once. */
static void unequal_forward_steps_are_one_pass(void **unused)
{
	unsigned int s, i;

	(void)unused;
	for (s = 0; s < SEEDS; s++) {
		struct flt_pattern *p = flt_pattern_new();
		uint64_t page = 0;

		seed(s);
		for (i = 0; i < 500; i++)
			put(p, page += 1 + next() % 12, 1, 1, false);
		expect(p, "one pass", FLT_ORDER_MIXED, FLT_REUSE_ONCE);
	}
}

static void half_random_steps_are_mixed(void **unused)
{
	unsigned int s, i;

	(void)unused;
	for (s = 0; s < SEEDS; s++) {
		struct flt_pattern *p = flt_pattern_new();
		uint64_t front = 200000;

		seed(s);
		for (i = 0; i < 600; i++) {
			bool jump = next() % 2;

			put(p, jump ? next() % 100000 : front++, 1, 1, next() % 5 == 0);
		}
		expect(p, "mixed", FLT_ORDER_MIXED, FLT_REUSE_SOME);
	}
}

/* A sequential reader of a cached file faults once per window, at its edge. */
static void faultaround_windows_are_sequential(void **unused)
{
	unsigned int s, i, from;

	(void)unused;
	for (s = 0; s < SEEDS; s++) {
		struct flt_pattern *forward = flt_pattern_new(), *backward = flt_pattern_new();
		struct flt_pattern *inside = flt_pattern_new(), *far = flt_pattern_new();
		struct flt_pattern *lone = flt_pattern_new();

		seed(s);
		from = (unsigned int)(next() % 16);
		for (i = 0; i < 100; i++) {
			put(forward, i ? i * 16u : from, 1, 16, false);
			put(backward, 1600u - i * 16u - 1, 1, 16, false);
			/* A sequential reader would fault at the first page of a window. */
			put(inside, i * 16u + 1 + s, 1, 16, false);
			put(far, i * 64u, 1, 16, false);
			/* Every fourth page of an uncached file: no pages around the fault get mapped. */
			put(lone, i * 4u, 1, 16, false);
		}
		assert_int_equal(flt_pattern_classify(inside).stride, 16);
		assert_int_equal(flt_pattern_classify(far).stride, 64);
		expect(forward, "sequential", FLT_ORDER_FORWARD, FLT_REUSE_ONCE);
		expect(backward, "sequential", FLT_ORDER_BACKWARD, FLT_REUSE_ONCE);
		expect(inside, "strided", FLT_ORDER_STRIDED, FLT_REUSE_ONCE);
		expect(far, "strided", FLT_ORDER_STRIDED, FLT_REUSE_ONCE);
		expect(lone, "strided", FLT_ORDER_STRIDED, FLT_REUSE_ONCE);
	}
}

/*
 * In an uncached file a miss maps one page. The next fault maps the pages that were read
 * ahead, up to the marker page that starts the next read. A backward reader gets read-around.
 */
static void readahead_is_sequential(void **unused)
{
	unsigned int s, i;

	(void)unused;
	for (s = 0; s < SEEDS; s++) {
		struct flt_pattern *forward = flt_pattern_new(), *backward = flt_pattern_new();
		uint64_t marker;

		seed(s);
		marker = 17 + next() % 14;
		for (i = 0; i < 64; i++) {
			put(forward, i * 32u, 1, 16, false);
			if (i % 4 == 0)
				put(forward, i * 32u + 1, 1, 16, false);
			put(forward, i * 32u + 16, 1, 16, false);
			if (marker != 16)
				put(forward, i * 32u + marker, 1, 16, false);
			put(backward, 4095 - i * 32u, 1, 16, false);
			put(backward, 4094 - i * 32u, 1, 16, false);
			put(backward, 4095 - i * 32u - 16, 1, 16, false);
		}
		expect(forward, "sequential", FLT_ORDER_FORWARD, FLT_REUSE_ONCE);
		expect(backward, "sequential", FLT_ORDER_BACKWARD, FLT_REUSE_ONCE);
	}
}

/* Threads read one piece each, in random turns. One thread merges three runs. */
static void interleaved_threads_are_sequential(void **unused)
{
	unsigned int s, i, k, threads;
	uint64_t at[16];

	(void)unused;
	for (s = 0; s < SEEDS; s++) {
		struct flt_pattern *p = flt_pattern_new(), *merge = flt_pattern_new();
		struct flt_pattern *strides = flt_pattern_new(), *workers = flt_pattern_new();

		seed(s);
		threads = 2 + s % 15;
		memset(at, 0, sizeof(at));
		for (i = 0; i < 200 * threads; i++) {
			k = (unsigned int)(next() % threads);
			put(p, k * 100000ull + at[k], 100 + k, 1, false);
			put(strides, k * 100000ull + at[k] * 8, 100 + k, 1, false);
			at[k]++;
		}
		memset(at, 0, sizeof(at));
		for (i = 0; i < 1500; i++) {
			k = (unsigned int)(next() % 3);
			put(merge, k * 100000ull + at[k]++, 1, 1, false);
			put(workers, i, (uint32_t)(next() % threads), 1, false);
		}
		assert_int_equal(flt_pattern_classify(strides).stride, 8);
		expect(p, "sequential", FLT_ORDER_FORWARD, FLT_REUSE_ONCE);
		expect(merge, "sequential", FLT_ORDER_FORWARD, FLT_REUSE_ONCE);
		expect(strides, "strided", FLT_ORDER_STRIDED, FLT_REUSE_ONCE);
		expect(workers, "sequential", FLT_ORDER_FORWARD, FLT_REUSE_ONCE);
	}
}

static void huge_pages_are_sequential(void **unused)
{
	struct flt_pattern *p = flt_pattern_new();
	unsigned int i;

	(void)unused;
	for (i = 0; i < 40; i++) {
		const struct flt_visit t = { BASE / 512 * 512 + i * 512ull, 1, 512, 1, false };

		flt_pattern_add(p, &t);
	}
	expect(p, "sequential", FLT_ORDER_FORWARD, FLT_REUSE_ONCE);
}

static void few_faults_have_no_pattern(void **unused)
{
	struct flt_pattern *p = flt_pattern_new();
	char text[128];
	unsigned int i;

	(void)unused;
	assert_string_equal(flt_pattern_classify(NULL).name, "few");
	for (i = 0; i < FLT_PATTERN_FEW; i++)
		put(p, i, 1, 1, false);
	assert_string_equal(flt_pattern_classify(p).name, "few");
	put(p, i, 1, 1, false);
	assert_string_equal(flt_pattern_classify(p).name, "sequential");
	/* Repeated faults at one page are not steps, but they are thrashing. */
	for (i = 0; i < 40; i++)
		put(p, 12, 1, 1, true);
	assert_string_equal(flt_pattern_classify(p).name, "thrashing");
	struct flt_verdict v = flt_pattern_classify(p);

	flt_pattern_describe(&v, text, sizeof(text));
	assert_string_equal(text, "thrashing, forward");
	flt_pattern_evidence(&v, text, sizeof(text));
	assert_string_equal(text, "100 % of 12 steps go forward; 75 % of the faults are of pages that "
			    "faulted before");
	flt_pattern_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_one_page_are_sequential),
		cmocka_unit_test(thread_ids_do_not_matter),
		cmocka_unit_test(equal_steps_are_strided),
		cmocka_unit_test(shuffled_pages_are_random),
		cmocka_unit_test(repeated_refaults_are_thrashing),
		cmocka_unit_test(unequal_forward_steps_are_one_pass),
		cmocka_unit_test(half_random_steps_are_mixed),
		cmocka_unit_test(faultaround_windows_are_sequential),
		cmocka_unit_test(readahead_is_sequential),
		cmocka_unit_test(interleaved_threads_are_sequential),
		cmocka_unit_test(huge_pages_are_sequential),
		cmocka_unit_test(few_faults_have_no_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
