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

enum { HAS_HIDDEN = 1, HAS_TOOK = 2 };

struct row {
	const char *name;
	uint64_t count;
	bool hidden;
	const char *shown;
	uint64_t took, at;
	double real;
};

#define AT(member) FLT_AT(struct row, member)

static const struct flt_column columns[] = {
	{ "name", "name", -6, FLT_COLUMN_STRING, AT(name) },
	{ "count", "count", 7, FLT_COLUMN_COUNT, AT(count) },
	{ "hidden", NULL, 0, FLT_COLUMN_BOOL, AT(hidden), .known_if = HAS_HIDDEN },
	{ NULL, "shown", 5, FLT_COLUMN_STRING, AT(shown) },
	{ "took", "took", 6, FLT_COLUMN_NS, AT(took), .known_if = HAS_TOOK },
	{ "at", "at", -1, FLT_COLUMN_HEX, AT(at), .zero_unknown = true },
	{ "real", "real", 5, FLT_COLUMN_REAL, AT(real), .decimals = 1 },
	{ 0 },
};

/* Return the output of a table with these columns. Each row has size bytes. */
static char *render_as(enum flt_format format, const struct flt_column *list, uint64_t shown,
		       const void *rows, size_t size, const uint64_t *known, size_t count)
{
	struct flt_table *table;
	char *text;
	size_t length, i;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(flt_table_new(&table, out, &(struct flt_table_style){ .format = format }, list, shown), 0);
	for (i = 0; i < count; i++)
		assert_int_equal(flt_table_row(table, (const char *)rows + i * size, known[i]), 0);
	flt_table_flush(table, true);
	flt_table_free(table);
	fclose(out);
	return text;
}

static char *render(enum flt_format format, size_t count)
{
	static const struct row rows[] = {
		{ .name = "sh", .count = 12, .hidden = true, .shown = "x", .took = 3210,
		  .at = 0xff00, .real = 1.25 },
		{ .name = "a,\"b\"\033\n", .count = UINT64_MAX, .took = 1, .real = NAN },
	};
	static const uint64_t known[] = { HAS_HIDDEN | HAS_TOOK, 0 };

	return render_as(format, columns, 0, rows, sizeof(rows[0]), known, count);
}

static void table_as_text(void **state)
{
	char *got = render(FLT_FORMAT_TEXT, 2);

	(void)state;
	assert_string_equal(got,
			    "name                        count  shown    took  at       real\n"
			    "sh                             12      x  3.21us  0xff00    1.2\n"
			    "a,\"b\"\\x1b\\n  18446744073709551615      -       -  -           -\n");
	free(got);
}

static void table_as_json(void **state)
{
	char *got = render(FLT_FORMAT_JSON, 2);

	(void)state;
	assert_string_equal(got,
			    "{\"name\":\"sh\",\"count\":12,\"hidden\":true,\"took\":3210,"
			    "\"at\":\"0xff00\",\"real\":1.2}\n"
			    "{\"name\":\"a,\\\"b\\\"\\u001b\\u000a\",\"count\":18446744073709551615,"
			    "\"real\":null}\n");
	free(got);
}

static void table_as_csv(void **state)
{
	char *got = render(FLT_FORMAT_CSV, 2);

	(void)state;
	assert_string_equal(got,
			    "name,count,hidden,took,at,real\n"
			    "sh,12,true,3210,0xff00,1.2\n"
			    "\"a,\"\"b\"\"\\x1b\\n\",18446744073709551615,,,,\n");
	free(got);
}

/* Fields of any length are escaped and quoted alike. */
static void long_csv_fields_are_quoted(void **state)
{
	char name[300], want[600];
	struct row row = { .name = name };
	const uint64_t known = 0;
	size_t length;
	char *got;

	(void)state;
	for (length = 1; length < 200; length++) {
		memset(name, 'x', length);
		strcpy(name + length, "\"\\\033,y");
		snprintf(want, sizeof(want), "name,count,hidden,took,at,real\n\"%.*s\"\"\\\\\\x1b,y\",0,,,,0.0\n",
			 (int)length, name);
		got = render_as(FLT_FORMAT_CSV, columns, 0, &row, sizeof(row), &known, 1);
		assert_string_equal(got, want);
		free(got);
		name[length] = 0;
		snprintf(want, sizeof(want), "name,count,hidden,took,at,real\n%s,0,,,,0.0\n", name);
		got = render_as(FLT_FORMAT_CSV, columns, 0, &row, sizeof(row), &known, 1);
		assert_string_equal(got, want);
		free(got);
	}
}

static void empty_table_is_valid(void **state)
{
	char *got;

	(void)state;
	got = render(FLT_FORMAT_CSV, 0);
	assert_string_equal(got, "name,count,hidden,took,at,real\n");
	free(got);
	got = render(FLT_FORMAT_JSON, 0);
	assert_string_equal(got, "");
	free(got);
}

struct all_types {
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64, ns, whole, part;
	int32_t i32;
	int64_t i64;
	bool no;
	char chars[8];
	const char *lines;
	uint64_t counts[3];
};

static const char *color_name(uint32_t value)
{
	static const char *const names[] = { "red", "green", "blue" };

	return value < 3 ? names[value] : NULL;
}

#undef AT
#define AT(member) FLT_AT(struct all_types, member)

static const struct flt_column types[] = {
	{ "u8", "U8", 1, FLT_COLUMN_COUNT, AT(u8) },
	{ "u16", "U16", 1, FLT_COLUMN_BYTES, AT(u16) },
	{ "color", "COLOR", -1, FLT_COLUMN_NAME, AT(u32), .name = color_name },
	{ "seconds", "SECONDS", 1, FLT_COLUMN_SECONDS, AT(ns), .decimals = 3 },
	{ NULL, "CLOCK", 1, FLT_COLUMN_CLOCK, AT(u64) },
	{ "time", "TIME", 1, FLT_COLUMN_CLOCK, AT(u64), .decimals = 6 },
	{ "rate", "RATE", 1, FLT_COLUMN_RATE, AT(part), .of = offsetof(struct all_types, ns),
	  .decimals = 1 },
	{ "brief", "BRIEF", 1, FLT_COLUMN_RATE, AT(part), .of = offsetof(struct all_types, ns),
	  .decimals = FLT_DECIMALS_SHORT },
	{ "percent", "%", 1, FLT_COLUMN_PERCENT, AT(part),
	  .of = offsetof(struct all_types, whole), .decimals = 2 },
	{ "i32", "I32", 1, FLT_COLUMN_SIGNED, AT(i32) },
	{ "i64", "I64", 1, FLT_COLUMN_SIGNED, AT(i64), .zero_unknown = true },
	{ "no", "NO", 1, FLT_COLUMN_BOOL, AT(no) },
	{ "chars", "CHARS", -1, FLT_COLUMN_CHARS, AT(chars), .zero_unknown = true },
	{ "lines", NULL, 0, FLT_COLUMN_LINES, AT(lines) },
	{ "n_", NULL, 0, FLT_COLUMN_COUNT, FLT_AT_ARRAY(struct all_types, counts),
	  .name = color_name, .known_if = 1 },
	{ 0 },
};

static char *render_types(enum flt_format format)
{
	static const struct all_types rows[] = {
		{ .u8 = 255, .u16 = 1536, .u32 = 2, .u64 = 86399123456789, .ns = 2000000000,
		  .whole = 3, .part = 1, .i32 = -5, .i64 = INT64_MIN, .chars = "ab",
		  .lines = "one\ntwo\033\n", .counts = { 7, 0, 9 } },
		{ .u32 = 9, .part = 1000, .ns = 1000000000, .no = true },
		{ .part = 1 },
	};
	static const uint64_t known[] = { 1, 0, 0 };
	char *got;

	setenv("TZ", "UTC", 1);
	got = render_as(format, types, 0, rows, sizeof(rows[0]), known, 3);
	unsetenv("TZ");
	return got;
}

static void column_types_as_text(void **state)
{
	char *got = render_types(FLT_FORMAT_TEXT);

	(void)state;
	assert_string_equal(got,
		" U8      U16  COLOR  SECONDS     CLOCK             TIME    RATE  BRIEF      %  "
		"I32                   I64   NO  CHARS\n"
		"255  1.50KiB  blue     2.000  23:59:59  23:59:59.123456     0.5    0.5  33.33   "
		"-5  -9223372036854775808   no  ab\n"
		"    one\n"
		"    two\\x1b\n"
		"  0       0B  -        1.000  00:00:00  00:00:00.000000  1000.0   1000      -    "
		"0                     -  yes  -\n"
		"  0       0B  red      0.000  00:00:00  00:00:00.000000       -      -      -    "
		"0                     -   no  -\n");
	free(got);
}

static void column_types_as_data(void **state)
{
	char *got = render_types(FLT_FORMAT_JSON);

	(void)state;
	assert_string_equal(got,
		"{\"u8\":255,\"u16\":1536,\"color\":\"blue\",\"seconds\":2.000,"
		"\"time\":86399123456789,\"rate\":0.5,\"brief\":0.5,\"percent\":33.33,"
		"\"i32\":-5,\"i64\":-9223372036854775808,\"no\":false,\"chars\":\"ab\","
		"\"lines\":[\"one\",\"two\\u001b\"],\"n_red\":7,\"n_green\":0,\"n_blue\":9}\n"
		"{\"u8\":0,\"u16\":0,\"seconds\":1.000,\"time\":0,\"rate\":1000.0,"
		"\"brief\":1000,\"i32\":0,\"no\":true}\n"
		"{\"u8\":0,\"u16\":0,\"color\":\"red\",\"seconds\":0.000,\"time\":0,"
		"\"i32\":0,\"no\":false}\n");
	free(got);
	got = render_types(FLT_FORMAT_CSV);
	assert_string_equal(got,
		"u8,u16,color,seconds,time,rate,brief,percent,i32,i64,no,chars,lines,n_red,"
		"n_green,n_blue\n"
		"255,1536,blue,2.000,86399123456789,0.5,0.5,33.33,-5,-9223372036854775808,false,"
		"ab,\"one\ntwo\\x1b\n\",7,0,9\n"
		"0,0,,1.000,0,1000.0,1000,,0,,true,,,,,\n"
		"0,0,red,0.000,0,,,,0,,false,,,,,\n");
	free(got);
}

/* Options select columns, separately for text and data. Columns can be built at run time. */
static void options_select_columns(void **state)
{
	struct flt_column *made = calloc(4, sizeof(*made));
	const uint64_t row[3] = { 1, 2, 3 }, known = 0;
	const char *names[] = { "a", "b", "c" };
	char *got;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		made[i] = (struct flt_column){ .key = names[i], .title = names[i], .width = 1,
					       .type = FLT_COLUMN_COUNT, .offset = i * sizeof(row[0]),
					       .size = sizeof(row[0]) };
	made[1].text_if = 2 | 4;
	made[2].data_if = 8;
	got = render_as(FLT_FORMAT_TEXT, made, 0, row, sizeof(row), &known, 1);
	assert_string_equal(got, "a  c\n1  3\n");
	free(got);
	got = render_as(FLT_FORMAT_TEXT, made, 4, row, sizeof(row), &known, 1);
	assert_string_equal(got, "a  b  c\n1  2  3\n");
	free(got);
	got = render_as(FLT_FORMAT_CSV, made, 4, row, sizeof(row), &known, 1);
	assert_string_equal(got, "a,b\n1,2\n");
	free(got);
	got = render_as(FLT_FORMAT_CSV, made, 8, row, sizeof(row), &known, 1);
	assert_string_equal(got, "a,b,c\n1,2,3\n");
	free(got);
	free(made);
}

/* A value that is computed from several others is unknown if one of them is. */
static void values_need_all_of_their_parts(void **state)
{
	static const struct flt_column needing[] = {
		{ "sum", "sum", 1, FLT_COLUMN_COUNT, .size = sizeof(uint64_t), .needs = 1 | 4 },
		{ 0 },
	};
	static const uint64_t rows[4] = { 1, 2, 3, 4 }, known[4] = { 1, 4, 1 | 4, 0 };
	char *got = render_as(FLT_FORMAT_CSV, needing, 0, rows, sizeof(rows[0]), known, 4);

	(void)state;
	assert_string_equal(got, "sum\n\n\n3\n\n");
	free(got);
}

/* A column keeps its greatest width, so that later intervals are aligned. */
static void column_widths_never_shrink(void **state)
{
	struct pair { uint64_t a, b; };
	static const struct flt_column two[] = {
		{ "a", "a", 1, FLT_COLUMN_COUNT, FLT_AT(struct pair, a) },
		{ "b", "b", 1, FLT_COLUMN_COUNT, FLT_AT(struct pair, b) },
		{ 0 },
	};
	struct flt_table *table;
	char *got;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	(void)state;
	flt_table_new(&table, out, &(struct flt_table_style){ 0 }, two, 0);
	flt_table_row(table, &(struct pair){ 12345, 1 }, 0);
	flt_table_flush(table, true);
	flt_table_row(table, &(struct pair){ 1, 1 }, 0);
	flt_table_free(table);
	fclose(out);
	assert_string_equal(got, "    a  b\n12345  1\n    1  1\n");
	free(got);
}

static void nested_tables_are_valid(void **state)
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

/* Each write ends with a whole row, because others may write to the same file. */
static void rows_are_written_whole(void **state)
{
	static const enum flt_format formats[] = { FLT_FORMAT_TEXT, FLT_FORMAT_JSON, FLT_FORMAT_CSV };
	static const struct flt_column one[] = {
		{ "a", "a", -1, FLT_COLUMN_CHARS, .offset = 0 },
		{ 0 },
	};
	struct flt_table *table;
	char word[400], buffer[1000];
	size_t f, i, writes;
	FILE *out;

	(void)state;
	for (f = 0; f < 3; f++) {
		writes = 0;
		out = fopencookie(&writes, "w", (cookie_io_functions_t){ .write = judge_write });
		setvbuf(out, buffer, _IOFBF, sizeof(buffer));
		assert_int_equal(flt_table_new(&table, out, &(struct flt_table_style){ .format = formats[f] },
					       one, 0), 0);
		for (i = 0; i < 1000; i++) {
			memset(word, 'x', sizeof(word));
			word[i * 7919 % sizeof(word)] = 0;
			flt_table_row(table, word, 0);
		}
		flt_table_free(table);
		fclose(out);
		/* Rows are buffered, so there are fewer writes than rows. */
		assert_in_range(writes, 100, 600);
	}
}

struct place {
	uint64_t faults;
	const char *function, *path, *unknown, *spare;
};

static const struct flt_column places[] = {
	{ "faults", "FAULTS", 12, FLT_COLUMN_COUNT, FLT_AT(struct place, faults) },
	{ "function", "FUNCTION", -20, FLT_COLUMN_STRING, FLT_AT(struct place, function) },
	{ "path", "PATH", -20, FLT_COLUMN_STRING, FLT_AT(struct place, path) },
	{ "unknown", "UNKNOWN", 9, FLT_COLUMN_STRING, FLT_AT(struct place, unknown) },
	{ "spare", "SPARE", 9, FLT_COLUMN_STRING, FLT_AT(struct place, spare), .spare = 1 },
	{ 0 },
};

/* Return the text of a table of places in so many columns. */
static char *render_places(size_t room)
{
	static const struct place rows[] = {
		{ 1234567, "std::vector<int>::push_back(int const&)",
		  "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", NULL, "none" },
		{ 1, "naïve_ünïcödé_fünctiön_nämé_öf_länguage", "/b", NULL, "x" },
	};
	struct flt_table *table;
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(flt_table_new(&table, out, &(struct flt_table_style){ 0 }, places, 0), 0);
	flt_table_fit(table, room);
	assert_int_equal(flt_table_row(table, &rows[0], 0), 0);
	assert_int_equal(flt_table_row(table, &rows[1], 0), 0);
	flt_table_flush(table, true);
	flt_table_free(table);
	fclose(out);
	return text;
}

static void strings_are_shortened_in_the_middle(void **state)
{
	char *got = render_places(60);

	(void)state;
	assert_string_equal(got,
			    " FAULTS  FUNCTION          PATH               UNKNOWN  SPARE\n"
			    "1234567  std::ve..const&)  /usr/lib...6.0.30        -   none\n"
			    "      1  naïve_ü..änguage  /b                       -      x\n");
	free(got);
	got = render_places(52);
	assert_string_equal(got,
			    " FAULTS  FUNCTION           PATH               SPARE\n"
			    "1234567  std::vec..const&)  /usr/lib...6.0.30   none\n"
			    "      1  naïve_ün..änguage  /b                     x\n"
			    "(-w shows also UNKNOWN)\n");
	free(got);
}

static size_t widest(const char *text)
{
	size_t most = 0, now = 0;

	for (; *text; text++) {
		now = *text == '\n' ? 0 : now + (((unsigned char)*text & 0xc0) != 0x80);
		if (now > most)
			most = now;
	}
	return most;
}

/* Down to the width of numbers, titles and gaps. */
static void lines_fit_any_terminal(void **state)
{
	size_t room;
	char *got;

	(void)state;
	for (room = 40; room < 200; room++) {
		got = render_places(room);
		assert_true(widest(got) <= room);
		assert_non_null(strstr(got, "1234567"));
		free(got);
	}
	got = render_places(0);
	assert_non_null(strstr(got, "std::vector<int>::push_back(int const&)"));
	assert_non_null(strstr(got, "SPARE"));
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_as_text),
		cmocka_unit_test(table_as_json),
		cmocka_unit_test(table_as_csv),
		cmocka_unit_test(long_csv_fields_are_quoted),
		cmocka_unit_test(empty_table_is_valid),
		cmocka_unit_test(strings_are_shortened_in_the_middle),
		cmocka_unit_test(lines_fit_any_terminal),
		cmocka_unit_test(column_widths_never_shrink),
		cmocka_unit_test(nested_tables_are_valid),
		cmocka_unit_test(rows_are_written_whole),
		cmocka_unit_test(column_types_as_text),
		cmocka_unit_test(column_types_as_data),
		cmocka_unit_test(options_select_columns),
		cmocka_unit_test(values_need_all_of_their_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
