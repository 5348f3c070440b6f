// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "model/counts/ranking.h"
#include "view/terminal/screen.h"

static char line[4096];

static const char *shown(const char *text, int cols, bool unicode)
{
	struct flt_screen s;

	assert_int_equal(flt_screen_open(&s, 1, cols, unicode), 0);
	flt_screen_put(&s, 0, 0, 0, false, FLT_LOOK_PLAIN, text);
	flt_screen_line(&s, 0, line);
	flt_screen_close(&s);
	return line;
}

static void control_characters_are_escaped(void **state)
{
	(void)state;
	assert_string_equal(shown("a\033[2Jb", 40, true), "a\\x1b[2Jb");
	assert_string_equal(shown("a\nb\rc\td", 40, true), "a\\nb\\rc\\td");
	assert_string_equal(shown("e\xcc\x81x", 40, true), "e\\u0301x");
	assert_string_equal(shown("\xe2\x80\x8b|\xe2\x80\xae", 40, true), "\\u200b|\\u202e");
	assert_string_equal(shown("\xff\xc3", 40, true), "\\xff\\xc3");
	assert_string_equal(shown("gr\xc3\xbc\xc3\x9f", 40, true), "gr\xc3\xbc\xc3\x9f");
	assert_string_equal(shown("gr\xc3\xbc", 40, false), "gr\\u00fc");
	assert_string_equal(shown("\xf0\x9f\x98\x80", 40, true), "\\U0001f600");
}

static void long_text_is_clipped(void **state)
{
	struct flt_screen s;
	int cols;

	(void)state;
	assert_string_equal(shown("abcdef", 5, true), "abcd+");
	assert_string_equal(shown("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 6, true),
			    "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e");
	assert_string_equal(shown("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 5, true),
			    "\xe6\x97\xa5\xe6\x9c\xac+");
	/* A wide character that does not fit is dropped as a whole. */
	assert_string_equal(shown("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 4, true), "\xe6\x97\xa5 +");
	for (cols = 1; cols < 12; cols++)
		shown("a\033[2J\xe6\x97\xa5\xff", cols, true);
	assert_int_equal(flt_screen_open(&s, 2, 10, true), 0);
	assert_int_equal(flt_screen_put(&s, 5, 0, 0, false, FLT_LOOK_PLAIN, "x"), 0);
	assert_int_equal(flt_screen_put(&s, 0, 0, 4, true, FLT_LOOK_PLAIN, "ab"), 4);
	flt_screen_line(&s, 0, line);
	assert_string_equal(line, "  ab");
	flt_screen_close(&s);
}

static void table_fits_any_screen(void **state)
{
	struct row {
		uint64_t known;
		uint32_t pid;
		const char *comm, *file;
	};
	static const struct flt_column columns[] = {
		{ NULL, "PID", 5, FLT_COLUMN_COUNT, FLT_AT(struct row, pid), .known_if = 1 },
		{ "hidden", NULL, 0, FLT_COLUMN_COUNT, FLT_AT(struct row, pid) },
		{ NULL, "TID", 5, FLT_COLUMN_COUNT, FLT_AT(struct row, pid), .text_if = 1 },
		{ NULL, "COMM", -6, FLT_COLUMN_STRING, FLT_AT(struct row, comm) },
		{ NULL, "FILE", -1, FLT_COLUMN_STRING, FLT_AT(struct row, file), .known_if = 2 },
		{ 0 },
	};
	static const struct row row[] = {
		{ 1 | 2, 12, "sh", "/a\n/b" },
		{ 1, 345, "much-too-long", "unknown" },
	};
	struct flt_screen_rows list = {
		.columns = columns, .sorted = &columns[0], .row = row, .size = sizeof(row[0]),
		.count = 2, .known = offsetof(struct row, known),
	};
	struct flt_screen s;
	int rows, cols;

	(void)state;
	assert_int_equal(flt_screen_open(&s, 3, 24, true), 0);
	assert_int_equal(flt_screen_table(&s, 0, 3, &list), 0);
	flt_screen_line(&s, 0, line);
	assert_string_equal(line, "  PID COMM   FILE");
	flt_screen_line(&s, 1, line);
	assert_string_equal(line, "   12 sh     /a\\n/b");
	flt_screen_line(&s, 2, line);
	assert_string_equal(line, "  345 much-+ -");
	assert_int_equal(s.cell[0].look, FLT_LOOK_SORTED);
	flt_screen_close(&s);
	/* A table can be drawn on a screen of any size. */
	for (rows = 1; rows < 4; rows++) {
		for (cols = 1; cols < 24; cols++) {
			assert_int_equal(flt_screen_open(&s, rows, cols, true), 0);
			assert_int_equal(flt_screen_table(&s, 1, rows, &list), 0);
			flt_screen_close(&s);
		}
	}
}

static void ranking_sorts_joins_and_searches(void **state)
{
	struct flt_account a = { .minor = 5, .major = 1, .octaves = { [20] = 6 } };
	struct flt_account b = { .minor = 9, .octaves = { [3] = 9 } };
	struct flt_account c = { .minor = 1, .major = 7 };
	struct flt_ranking r = { 0 };

	(void)state;
	strcpy(flt_ranking_add(&r, &a, 0)->name, "/x");
	strcpy(flt_ranking_add(&r, &b, 0)->name, "/y");
	strcpy(flt_ranking_add(&r, &c, 0)->name, "/x");
	flt_ranking_sort(&r, FLT_RANK_MINOR, false);
	assert_int_equal(r.rank[0].minor, 9);
	flt_ranking_sort(&r, FLT_RANK_MAJOR, false);
	assert_int_equal(r.rank[0].major, 7);
	flt_ranking_sort(&r, FLT_RANK_MAJOR, true);
	assert_int_equal(r.rank[0].major, 0);
	flt_ranking_join(&r);
	assert_int_equal(r.count, 2);
	assert_int_equal(r.rank[0].minor, 6);
	assert_int_equal(r.rank[0].major, 8);
	assert_int_equal(r.rank[0].p99, flt_bucket_floor(21 << FLT_BUCKET_SHIFT) - 1);
	flt_ranking_sort(&r, FLT_RANK_MAJOR, false);
	assert_string_equal(r.rank[0].name, "/x");
	flt_ranking_search(&r, "Y");
	assert_int_equal(r.shown, 1);
	assert_string_equal(r.rank[0].name, "/y");
	flt_ranking_search(&r, "z");
	assert_int_equal(r.shown, 0);
	/* An empty search shows all rows again. */
	flt_ranking_search(&r, "");
	flt_ranking_sort(&r, FLT_RANK_MAJOR, false);
	assert_int_equal(r.shown, 2);
	assert_string_equal(r.rank[0].name, "/x");
	assert_string_equal(r.rank[1].name, "/y");
	flt_ranking_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(long_text_is_clipped),
		cmocka_unit_test(table_fits_any_screen),
		cmocka_unit_test(ranking_sorts_joins_and_searches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
