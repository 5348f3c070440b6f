// SPDX-License-Identifier: GPL-2.0-or-later
/* Bars of letters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/terminal/parts.h"

static const struct flt_part parts[] = {
	{ "other", '.', 0 }, { "wait", 'w', 203 }, { "copy", 'c', 80 },
};

static char *write_bars(const uint64_t (*amounts)[3], size_t count, size_t width)
{
	const struct flt_parts_style style = { false, width };
	struct flt_parts_bar bars[8];
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < count; i++)
		bars[i] = (struct flt_parts_bar){ "a - b", "7us", amounts[i] };
	flt_parts_write(out, parts, 3, bars, count, "latency", "spent", &style);
	fclose(out);
	return text;
}

static size_t letters(const char *text, char letter)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == letter;
	return n;
}

static void bars_show_shares(void **state)
{
	static const uint64_t amounts[][3] = { { 250, 750, 0 }, { 500, 0, 0 }, { 0, 0, 0 } };
	char *text = write_bars(amounts, 3, 7 + 5 + 4 + 40);

	(void)state;
	assert_string_equal(text,
			    "latency  spent\n"
			    "  a - b    7us  ..........wwwwwwwwwwwwwwwwwwwwwwwwwwwwww\n"
			    "  a - b    7us  ....................\n"
			    "  a - b    7us\n"
			    ". other, w wait\n");
	free(text);
}

/* Whatever the amounts and the width are, a bar has the letters of its length. */
static void any_amounts_fill_the_bar(void **state)
{
	uint64_t amounts[1][3];
	size_t width, bar;
	char *text, *end;
	int round, i;

	(void)state;
	srandom(5);
	for (round = 0; round < 2000; round++) {
		for (i = 0; i < 3; i++)
			amounts[0][i] = (uint64_t)random() >> random() % 31;
		amounts[0][random() % 3] = ~0ull >> 3;
		width = (size_t)random() % 200;
		text = write_bars((const uint64_t (*)[3])amounts, 1, width);
		end = strchr(strchr(text, '\n') + 1, '\n');
		*end = '\0';
		bar = letters(strrchr(text, ' ') + 1, '.') + letters(strrchr(text, ' ') + 1, 'w') +
		      letters(strrchr(text, ' ') + 1, 'c');
		assert_int_equal(bar, strlen(strrchr(text, ' ') + 1));
		assert_int_equal(bar, width > 26 ? width - 16 : 10);
		free(text);
	}
}

static void nothing_is_no_bar(void **state)
{
	static const uint64_t amounts[][3] = { { 0, 0, 0 } };
	char *text = write_bars(amounts, 1, 80);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bars_show_shares),
		cmocka_unit_test(any_amounts_fill_the_bar),
		cmocka_unit_test(nothing_is_no_bar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
