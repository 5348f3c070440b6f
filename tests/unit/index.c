// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The code under test, with allocations that fail on demand. */
static bool no_memory;

static void *failing_calloc(size_t n, size_t size)
{
	return no_memory ? NULL : calloc(n, size);
}

static void *failing_malloc(size_t size)
{
	return no_memory ? NULL : malloc(size);
}

#define calloc failing_calloc
#define malloc failing_malloc
#include "../../user/index/index.c"
#undef calloc
#undef malloc

/* The model: entry n is in the index if in[n], with hash of[n]. */
#define ENTRIES 4096u

static bool in[ENTRIES];
static uint32_t of[ENTRIES];

static uint32_t count_found(const struct flt_index *index, uint32_t hash, uint32_t number)
{
	struct flt_index_search s = flt_index_search(hash);
	uint32_t n, found = 0;

	while (flt_index_next(index, &s, &n)) {
		assert_true(n < ENTRIES);
		assert_int_equal(of[n], hash);
		found += n == number;
	}
	return found;
}

/* Every entry of the model is found exactly once, all others never. */
static void compare(const struct flt_index *index)
{
	uint32_t n, used = 0;

	for (n = 0; n < ENTRIES; n++) {
		assert_int_equal(count_found(index, of[n], n), in[n]);
		used += in[n];
	}
	assert_int_equal(index->used, used);
	if (index->slots)
		assert_true(index->used <= index->mask / 2 + 1);
}

static void reset(void)
{
	memset(in, 0, sizeof(in));
	memset(of, 0, sizeof(of));
}

static void add(struct flt_index *index, uint32_t n, uint32_t hash)
{
	of[n] = hash;
	assert_int_equal(flt_index_add(index, hash, n), 0);
	in[n] = true;
}

static void zeroed_index_is_empty(void **state)
{
	struct flt_index index = { 0 }, copy;

	(void)state;
	reset();
	compare(&index);
	assert_false(flt_index_remove(&index, 0, 0));
	flt_index_prefetch(&index, 0);
	flt_index_clear(&index);
	assert_int_equal(flt_index_copy(&copy, &index), 0);
	compare(&copy);
	flt_index_free(&copy);
	flt_index_free(&index);
}

static void grows(void **state)
{
	struct flt_index index = { 0 };
	uint32_t n;

	(void)state;
	reset();
	for (n = 0; n < ENTRIES; n++) {
		add(&index, n, flt_index_hash(n, 7));
		if (n < 300 || !(n & (n + 1)))
			compare(&index);
	}
	compare(&index);
	flt_index_free(&index);
	assert_null(index.slots);
	reset();
	compare(&index);
}

/* The hash in the slot decides: equal low bits, and even equal hashes, stay apart. */
static void collisions(void **state)
{
	struct flt_index index = { 0 };
	uint32_t n;

	(void)state;
	reset();
	for (n = 0; n < 200; n++)
		add(&index, n, n < 100 ? UINT32_MAX : n << 20 | 63);
	compare(&index);
	/* Remove every third, from the middle of the run and across the end of the table. */
	for (n = 1; n < 200; n += 3) {
		assert_true(flt_index_remove(&index, of[n], n));
		in[n] = false;
		assert_false(flt_index_remove(&index, of[n], n));
		compare(&index);
	}
	flt_index_free(&index);
}

/* Each subset of hashes whose homes are next to each other and wrap, each order of removal. */
static void removes_from_every_run(void **state)
{
	static const uint32_t home[6] = { 62, 62, 63, 0, 1, 63 };
	struct flt_index index = { 0 };
	uint32_t set, first, k, n;

	(void)state;
	reset();
	add(&index, 0, 0);
	assert_true(flt_index_remove(&index, 0, 0));
	for (set = 0; set < 64; set++)
		for (first = 0; first < 36; first++) {
			reset();
			for (n = 0; n < 6; n++)
				if (set >> n & 1)
					add(&index, n, home[n] + 64 * n);
			/* Steps 1 and 5 go through all residues modulo 6. */
			for (k = 0; k < 6; k++) {
				n = (first % 6 + k * (first / 6 % 2 ? 5 : 1)) % 6;
				assert_int_equal(flt_index_remove(&index, of[n], n), in[n]);
				in[n] = false;
				compare(&index);
			}
			assert_int_equal(index.mask, 63);
		}
	flt_index_free(&index);
}

static void random_operations(void **state)
{
	struct flt_index index = { 0 };
	uint32_t step, n;

	(void)state;
	reset();
	srand(1);
	for (step = 0; step < 40000; step++) {
		n = (uint32_t)rand() % ENTRIES;
		if (in[n]) {
			assert_true(flt_index_remove(&index, of[n], n));
			in[n] = false;
		} else {
			/* Few distinct hashes, so that runs are long. */
			add(&index, n, flt_index_hash((uint32_t)rand() % 512, 0));
		}
		assert_int_equal(count_found(&index, of[n], n), in[n]);
		if (!(step % 4000))
			compare(&index);
	}
	compare(&index);
	flt_index_free(&index);
}

static void clears_and_copies(void **state)
{
	struct flt_index index = { 0 }, copy;
	uint32_t n;

	(void)state;
	reset();
	for (n = 0; n < 500; n++)
		add(&index, n, flt_index_hash(n, n));
	assert_int_equal(flt_index_copy(&copy, &index), 0);
	compare(&copy);
	flt_index_clear(&index);
	compare(&copy);
	memset(in, 0, sizeof(in));
	compare(&index);
	add(&index, 3, 99);
	compare(&index);
	flt_index_free(&index);
	flt_index_free(&copy);
}

static void survives_failed_allocation(void **state)
{
	struct flt_index index = { 0 }, copy;
	uint32_t n, refused = 0;

	(void)state;
	reset();
	for (n = 0; n < 1000; n++) {
		no_memory = true;
		of[n] = flt_index_hash(n, 1);
		if (flt_index_add(&index, of[n], n)) {
			refused++;
			no_memory = false;
			compare(&index);
			assert_int_equal(flt_index_add(&index, of[n], n), 0);
		}
		in[n] = true;
	}
	/* 64, 128, 256, 512, 1024, 2048 slots. */
	assert_int_equal(refused, 6);
	compare(&index);
	no_memory = true;
	assert_int_equal(flt_index_copy(&copy, &index), -ENOMEM);
	no_memory = false;
	assert_null(copy.slots);
	flt_index_free(&index);
}

/* Each bit of the key changes the low bits, from which the home slot is taken. */
static void hash_uses_every_bit(void **state)
{
	uint32_t bit, n, changed[2];

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		memset(changed, 0, sizeof(changed));
		for (n = 0; n < 1000; n++) {
			changed[0] += (flt_index_hash(n, n * 3) & 63) !=
				      (flt_index_hash(n ^ 1ull << bit, n * 3) & 63);
			changed[1] += (flt_index_hash(n, n * 3) & 63) !=
				      (flt_index_hash(n, n * 3 ^ 1ull << bit) & 63);
		}
		assert_true(changed[0] > 900 && changed[1] > 900);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_index_is_empty),
		cmocka_unit_test(grows),
		cmocka_unit_test(collisions),
		cmocka_unit_test(removes_from_every_run),
		cmocka_unit_test(random_operations),
		cmocka_unit_test(clears_and_copies),
		cmocka_unit_test(survives_failed_allocation),
		cmocka_unit_test(hash_uses_every_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
