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

#include "index/page_set.h"

#define BUDGET (1u << 19)

static void counts_new_pages(void **state)
{
	struct flt_page_set a = { 0 }, b = { 0 };
	uint32_t budget = BUDGET;

	(void)state;
	assert_int_equal(flt_page_set_add(&a, 100, 1, &budget), 1);
	assert_int_equal(flt_page_set_add(&a, 100, 1, &budget), 0);
	assert_int_equal(flt_page_set_add(&b, 100, 1, &budget), 1);
	assert_int_equal(flt_page_set_add(&a, 0, 1024, &budget), 1023);
	assert_int_equal(budget, BUDGET - 3);
	flt_page_set_free(&a, &budget);
	flt_page_set_free(&b, &budget);
	assert_int_equal(budget, BUDGET);
}

static void holds_many_pages(void **state)
{
	struct flt_page_set set = { 0 };
	uint32_t budget = BUDGET;
	uint64_t i;

	(void)state;
	for (i = 0; i < 1000000; i++)
		assert_int_equal(flt_page_set_add(&set, i * 7, 1, &budget), 1);
	for (i = 0; i < 1000000; i++)
		assert_int_equal(flt_page_set_add(&set, i * 7, 1, &budget), 0);
	flt_page_set_free(&set, &budget);
}

/* Sets share a budget of blocks. Adding pages to an existing block is free. */
static void keeps_to_the_budget(void **state)
{
	struct flt_page_set a = { 0 }, b = { 0 }, copy;
	uint32_t budget = 2;

	(void)state;
	assert_int_equal(flt_page_set_add(&a, 0, 1, &budget), 1);
	assert_int_equal(flt_page_set_add(&b, 0, 1, &budget), 1);
	assert_int_equal(flt_page_set_add(&a, 512, 1, &budget), -ENOSPC);
	assert_int_equal(flt_page_set_add(&a, 511, 2, &budget), -ENOSPC);
	assert_int_equal(flt_page_set_add(&a, 510, 2, &budget), 1);
	assert_int_equal(flt_page_set_copy(&copy, &a, &budget), -ENOSPC);
	assert_int_equal(copy.count, 0);
	flt_page_set_free(&b, &budget);
	assert_int_equal(flt_page_set_copy(&copy, &a, &budget), 0);
	assert_int_equal(budget, 0);
	flt_page_set_free(&a, &budget);
	flt_page_set_free(&copy, &budget);
	assert_int_equal(budget, 2);
}

#define PAGES 8192u

/* Adding, clearing and copying match a model, an array of bools. */
static void agrees_with_a_model(void **state)
{
	static bool model[PAGES], copied[PAGES];
	struct flt_page_set set = { 0 }, copy;
	uint32_t budget = BUDGET, page, pages, i, n;
	int64_t fresh;

	(void)state;
	srand(7);
	for (i = 0; i < 20000; i++) {
		page = (uint32_t)rand() % PAGES;
		pages = 1 + (uint32_t)rand() % (rand() % 8 ? 3 : 1500);
		if (pages > PAGES - page)
			pages = PAGES - page;
		if (rand() % 16 == 0) {
			flt_page_set_clear(&set, page, page + pages);
			memset(model + page, 0, pages);
			continue;
		}
		for (n = page, fresh = 0; n < page + pages; n++) {
			fresh += !model[n];
			model[n] = true;
		}
		assert_int_equal(flt_page_set_add(&set, page, pages, &budget), fresh);
	}
	assert_int_equal(flt_page_set_copy(&copy, &set, &budget), 0);
	memcpy(copied, model, sizeof(copied));
	flt_page_set_clear(&set, 0, UINT64_MAX >> 12);
	for (n = 0; n < PAGES; n++) {
		assert_int_equal(flt_page_set_add(&set, n, 1, &budget), 1);
		assert_int_equal(flt_page_set_add(&copy, n, 1, &budget), !copied[n]);
	}
	flt_page_set_free(&set, &budget);
	flt_page_set_free(&copy, &budget);
	assert_int_equal(budget, BUDGET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_new_pages),
		cmocka_unit_test(holds_many_pages),
		cmocka_unit_test(keeps_to_the_budget),
		cmocka_unit_test(agrees_with_a_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
