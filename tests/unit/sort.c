// SPDX-License-Identifier: GPL-2.0-or-later
/* Sort faults that lasted long or short, and check their order, and that none is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "source/file/sort.h"

#define FAULTS 5000

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* Sort faults that end one after the other, each after up to longest time units. */
static void sort_after(uint64_t longest, size_t n)
{
	struct flt_file_fault *f = calloc(n + 1, sizeof(*f));
	uint64_t numbers = 0;
	size_t i;

	for (i = 0; i < n; i++)
		f[i] = (struct flt_file_fault){
			.time = longest + i - random_below(longest + 1), .address = i,
		};
	flt_file_sort(f, n);
	for (i = 0; i < n; i++) {
		numbers += f[i].address;
		assert_true(!i || f[i - 1].time <= f[i].time);
	}
	assert_int_equal(numbers, n ? n * (n - 1) / 2 : 0);
	free(f);
}

static void faults_are_in_order(void **state)
{
	static const uint64_t longest[] = { 0, 1, 2, 10, 30, 40, 1000, 1000000 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(longest) / sizeof(longest[0]); i++) {
		sort_after(longest[i], 0);
		sort_after(longest[i], 1);
		sort_after(longest[i], 2);
		sort_after(longest[i], FAULTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
