// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "model/process/paths.h"

static struct flt_paths *paths;

static void put(uint32_t dev, uint64_t inode, const char *name, uint16_t flags)
{
	struct flt_event_path note = { .dev = dev, .inode = inode, .flags = flags,
				       .length = (uint32_t)strlen(name) };

	assert_int_equal(flt_paths_put(paths, &note, name), 0);
}

static void put_number(uint64_t inode)
{
	char name[32];

	snprintf(name, sizeof(name), "/%" PRIu64, inode);
	put(8, inode, name, 0);
}

static bool has_number(uint64_t inode)
{
	const char *name = flt_paths_get(paths, 8, inode);
	char want[32];

	snprintf(want, sizeof(want), "/%" PRIu64, inode);
	assert_true(!name || !strcmp(name, want));
	return name;
}

static void files_have_names(void **state)
{
	(void)state;
	assert_int_equal(flt_paths_new(&paths), 0);
	assert_null(flt_paths_get(paths, 8, 1));
	put(8, 1, "/one", 0);
	put(9, 1, "/other", 0);
	put(8, 2, "/two", FLT_PATH_DELETED);
	put(8, 3, "", 0);
	assert_string_equal(flt_paths_get(paths, 8, 1), "/one");
	assert_string_equal(flt_paths_get(paths, 9, 1), "/other");
	assert_string_equal(flt_paths_get(paths, 8, 2), "/two (deleted)");
	assert_null(flt_paths_get(paths, 8, 3));
	/* Device 0, inode 0 stands for no file. */
	assert_null(flt_paths_get(paths, 0, 0));
	put(8, 1, "/a new one", 0);
	assert_string_equal(flt_paths_get(paths, 8, 1), "/a new one");
	flt_paths_free(paths);
}

/* 1,000 paths that are looked up again and again stay while new paths are added. */
static void least_recently_used_paths_are_dropped(void **state)
{
	uint64_t i, k, kept = 0;

	(void)state;
	assert_int_equal(flt_paths_new(&paths), 0);
	for (i = 1; i <= FLT_PATHS_MAX; i++)
		put_number(i);
	for (i = 1; i <= FLT_PATHS_MAX; i++)
		assert_true(has_number(i));
	for (k = 1; k <= 1000; k++)
		assert_true(has_number(k));
	for (; i <= 4 * FLT_PATHS_MAX; i++) {
		put_number(i);
		assert_true(has_number(i % 1000 + 1));
	}
	for (k = 1; k < i; k++) {
		bool has = has_number(k);

		kept += has;
		assert_int_equal(has, k <= 1000 || i - k <= FLT_PATHS_MAX - 1000);
	}
	assert_int_equal(kept, FLT_PATHS_MAX);
	/* Adding a path again counts as use and drops no other path. */
	put_number(1);
	assert_true(has_number(2));
	flt_paths_free(paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_have_names),
		cmocka_unit_test(least_recently_used_paths_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
