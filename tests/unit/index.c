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

/* Include the code under test with allocations that fail while no_memory is set. */
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

/* The model: entry n is in the index if in[n] is true. Its hash is of[n]. */
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

/* Check that each entry of the model is found once and no other entry is found. */
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

static void index_grows_and_keeps_entries(void **state)
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

/* Entries with equal low bits of the hash, or equal hashes, are told apart. */
static void equal_hashes_are_told_apart(void **state)
{
	struct flt_index index = { 0 };
	uint32_t n;

	(void)state;
	reset();
	for (n = 0; n < 200; n++)
		add(&index, n, n < 100 ? UINT32_MAX : n << 20 | 63);
	compare(&index);
	/* Remove each third entry, also from the middle of a run that wraps around. */
	for (n = 1; n < 200; n += 3) {
		assert_true(flt_index_remove(&index, of[n], n));
		in[n] = false;
		assert_false(flt_index_remove(&index, of[n], n));
		compare(&index);
	}
	flt_index_free(&index);
}

/* Try each subset of hashes with adjacent home slots that wrap, in each order of removal. */
static void removal_keeps_other_entries_of_a_run(void **state)
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
			/* Steps 1 and 5 visit all residues modulo 6. */
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

static void random_operations_match_model(void **state)
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
			/* Use few distinct hashes to get long runs. */
			add(&index, n, flt_index_hash((uint32_t)rand() % 512, 0));
		}
		assert_int_equal(count_found(&index, of[n], n), in[n]);
		if (!(step % 4000))
			compare(&index);
	}
	compare(&index);
	flt_index_free(&index);
}

static void clear_and_copy_match_model(void **state)
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

static void failed_allocation_keeps_entries(void **state)
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
	/* The index was full at 64, 128, 256, 512, 1024 and 2048 slots. */
	assert_int_equal(refused, 6);
	compare(&index);
	no_memory = true;
	assert_int_equal(flt_index_copy(&copy, &index), -ENOMEM);
	no_memory = false;
	assert_null(copy.slots);
	flt_index_free(&index);
}

/* Each bit of the key changes the low bits of the hash, which select the home slot. */
static void hash_uses_every_bit_of_the_key(void **state)
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
		cmocka_unit_test(index_grows_and_keeps_entries),
		cmocka_unit_test(equal_hashes_are_told_apart),
		cmocka_unit_test(removal_keeps_other_entries_of_a_run),
		cmocka_unit_test(random_operations_match_model),
		cmocka_unit_test(clear_and_copy_match_model),
		cmocka_unit_test(failed_allocation_keeps_entries),
		cmocka_unit_test(hash_uses_every_bit_of_the_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
