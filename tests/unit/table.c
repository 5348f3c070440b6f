// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/table/json.h"
#include "view/table/table.h"

static const struct flt_column columns[] = {
	{ .key = "name", .title = "name", .width = -6 },
	{ .key = "count", .title = "count", .width = 7 },
	{ .key = "hidden" },
	{ .title = "shown", .width = 5, .data_absent = true },
	{ .key = "took", .title = "took", .width = 6 },
	{ .key = "at", .title = "at", .width = -1 },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static char *render(enum flt_format format, const struct flt_cell (*rows)[COLUMNS], size_t count)
{
	struct flt_table *table;
	char *text;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(flt_table_new(&table, out, format, columns, COLUMNS), 0);
	for (i = 0; i < count; i++)
		assert_int_equal(flt_table_row(table, rows[i]), 0);
	flt_table_flush(table, true);
	flt_table_free(table);
	fclose(out);
	return text;
}

#define ROWS                                                                                   \
	{                                                                                      \
		{ flt_cell_string("sh"), flt_cell_u64(12), flt_cell_bool(true),                \
		  flt_cell_string("x"), flt_cell_ns(3210), flt_cell_hex(0xff00) },             \
		{ flt_cell_string("a,\"b\"\033\n"), flt_cell_u64(UINT64_MAX),                  \
		  flt_cell_absent(), flt_cell_absent(), flt_cell_absent(),                     \
		  flt_cell_double(NAN, 1) },                                                   \
	}

static void text(void **state)
{
	const struct flt_cell rows[][COLUMNS] = ROWS;
	char *got = render(FLT_FORMAT_TEXT, rows, 2);

	(void)state;
	assert_string_equal(got,
			    "name                        count  shown    took  at\n"
			    "sh                             12      x  3.21us  0xff00\n"
			    "a,\"b\"\\x1b\\n  18446744073709551615      -       -  -\n");
	free(got);
}

static void json(void **state)
{
	const struct flt_cell rows[][COLUMNS] = ROWS;
	char *got = render(FLT_FORMAT_JSON, rows, 2);

	(void)state;
	assert_string_equal(got,
			    "{\"name\":\"sh\",\"count\":12,\"hidden\":true,\"took\":3210,"
			    "\"at\":\"0xff00\"}\n"
			    "{\"name\":\"a,\\\"b\\\"\\u001b\\u000a\",\"count\":18446744073709551615,"
			    "\"at\":null}\n");
	free(got);
}

static void csv(void **state)
{
	const struct flt_cell rows[][COLUMNS] = ROWS;
	char *got = render(FLT_FORMAT_CSV, rows, 2);

	(void)state;
	assert_string_equal(got,
			    "name,count,hidden,took,at\n"
			    "sh,12,true,3210,0xff00\n"
			    "\"a,\"\"b\"\"\\x1b\\n\",18446744073709551615,,,\n");
	free(got);
}

static void empty(void **state)
{
	char *got;

	(void)state;
	got = render(FLT_FORMAT_CSV, NULL, 0);
	assert_string_equal(got, "name,count,hidden,took,at\n");
	free(got);
	got = render(FLT_FORMAT_JSON, NULL, 0);
	assert_string_equal(got, "");
	free(got);
}

/* A column that grew stays as wide, so that later intervals line up. */
static void widths_stay(void **state)
{
	static const struct flt_column two[] = { { .key = "a", .title = "a", .width = 1 },
						 { .key = "b", .title = "b", .width = 1 } };
	struct flt_table *table;
	char *got;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	(void)state;
	flt_table_new(&table, out, FLT_FORMAT_TEXT, two, 2);
	flt_table_row(table, (const struct flt_cell[]){ flt_cell_u64(12345), flt_cell_u64(1) });
	flt_table_flush(table, true);
	flt_table_row(table, (const struct flt_cell[]){ flt_cell_u64(1), flt_cell_u64(1) });
	flt_table_free(table);
	fclose(out);
	assert_string_equal(got, "    a  b\n12345  1\n    1  1\n");
	free(got);
}

static void nesting(void **state)
{
	struct flt_json j;
	char *got;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	(void)state;
	flt_json_init(&j, out);
	flt_json_open_object(&j, NULL);
	flt_json_open_array(&j, "list");
	flt_json_u64(&j, NULL, 1);
	flt_json_open_object(&j, NULL);
	flt_json_close_object(&j);
	flt_json_null(&j, NULL);
	flt_json_close_array(&j);
	flt_json_double(&j, "x", 1.25, 2);
	flt_json_i64(&j, "y\"", -3);
	flt_json_bytes(&j, "z", "a\0b", 3);
	flt_json_close_object(&j);
	flt_json_end_line(&j);
	flt_json_bool(&j, NULL, false);
	flt_json_end_line(&j);
	fclose(out);
	assert_string_equal(got, "{\"list\":[1,{},null],\"x\":1.25,\"y\\\"\":-3,"
				 "\"z\":\"a\\u0000b\"}\nfalse\n");
	free(got);
}

static ssize_t judge_write(void *arg, const char *bytes, size_t size)
{
	size_t *writes = arg;

	assert_int_equal(bytes[size - 1], '\n');
	++*writes;
	return (ssize_t)size;
}

/* What others write to the same file must not land within a row. */
static void rows_are_written_whole(void **state)
{
	static const enum flt_format formats[] = { FLT_FORMAT_TEXT, FLT_FORMAT_JSON, FLT_FORMAT_CSV };
	static const struct flt_column one[] = { { .key = "a", .title = "a", .width = -1 } };
	struct flt_table *table;
	char word[400], buffer[1000];
	size_t f, i, writes;
	FILE *out;

	(void)state;
	for (f = 0; f < 3; f++) {
		writes = 0;
		out = fopencookie(&writes, "w", (cookie_io_functions_t){ .write = judge_write });
		setvbuf(out, buffer, _IOFBF, sizeof(buffer));
		assert_int_equal(flt_table_new(&table, out, formats[f], one, 1), 0);
		for (i = 0; i < 1000; i++) {
			memset(word, 'x', sizeof(word));
			word[i * 7919 % sizeof(word)] = 0;
			flt_table_row(table, (const struct flt_cell[]){ flt_cell_string(word) });
		}
		flt_table_free(table);
		fclose(out);
		/* And not each by itself. */
		assert_in_range(writes, 100, 600);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),	 cmocka_unit_test(json),	cmocka_unit_test(csv),
		cmocka_unit_test(empty), cmocka_unit_test(widths_stay), cmocka_unit_test(nesting),
		cmocka_unit_test(rows_are_written_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
