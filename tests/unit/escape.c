// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "text/escape.h"

struct pair {
	const char *in;
	const char *text;
	const char *json;
};

static const struct pair pairs[] = {
	{ "plain", "plain", "plain" },
	{ "", "", "" },
	{ "a\nb\tc\r", "a\\nb\\tc\\r", "a\\u000ab\\u0009c\\u000d" },
	{ "\033[31mred", "\\x1b[31mred", "\\u001b[31mred" },
	{ "\x7f", "\\x7f", "\\u007f" },
	{ "back\\slash", "back\\\\slash", "back\\\\slash" },
	{ "say \"hi\"", "say \"hi\"", "say \\\"hi\\\"" },
	{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
	{ "\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7" },
	/* C1: terminals interpret U+009B like ESC [ */
	{ "\xc2\x9b" "31m", "\\u009b31m", "\\u009b31m" },
	/* right-to-left override */
	{ "\xe2\x80\xae" "txt", "\\u202etxt", "\\u202etxt" },
	{ "\xe2\x81\xa6", "\\u2066", "\\u2066" },
	{ "\xef\xbf\xbe" "x", "\\ufffex", "\\ufffex" },
	{ "\xef\xbf\xbf", "\\uffff", "\\uffff" },
	/* invalid UTF-8: lone byte, truncated, overlong, surrogate, above U+10FFFF */
	{ "\xff", "\\xff", "\\ufffd" },
	{ "\x9b" "31m", "\\x9b31m", "\\ufffd31m" },
	{ "a\xc3", "a\\xc3", "a\\ufffd" },
	{ "\xe2\x82" "x", "\\xe2\\x82x", "\\ufffd\\ufffdx" },
	{ "\xc0\x80", "\\xc0\\x80", "\\ufffd\\ufffd" },
	{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf", "\\ufffd\\ufffd\\ufffd" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "\\ufffd\\ufffd\\ufffd" },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\ufffd\\ufffd\\ufffd\\ufffd" },
};

static void known_strings_are_escaped(void **state)
{
	char out[128];
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		n = flt_escape_text(out, sizeof(out), pairs[i].in, strlen(pairs[i].in));
		assert_string_equal(out, pairs[i].text);
		assert_int_equal(n, strlen(out));
		n = flt_escape_json(out, sizeof(out), pairs[i].in, strlen(pairs[i].in));
		assert_string_equal(out, pairs[i].json);
		assert_int_equal(n, strlen(out));
	}
}

static void nul_bytes_are_escaped(void **state)
{
	char out[64];

	(void)state;
	flt_escape_text(out, sizeof(out), "a\0b", 3);
	assert_string_equal(out, "a\\x00b");
	flt_escape_json(out, sizeof(out), "a\0b", 3);
	assert_string_equal(out, "a\\u0000b");
}

/* A small buffer gets a terminated prefix that ends with a whole escape. */
static void small_buffer_gets_whole_escapes(void **state)
{
	const char *in = "a\033\xc3\xbc\n\\z";
	char whole[64], *out;
	size_t size, n = strlen(in), all;

	(void)state;
	all = flt_escape_text(whole, sizeof(whole), in, n);
	for (size = 0; size <= all + 1; size++) {
		out = malloc(size ? size : 1);
		assert_int_equal(flt_escape_text(out, size, in, n), all);
		if (size) {
			assert_true(strlen(out) < size);
			assert_memory_equal(out, whole, strlen(out));
			assert_true(strlen(out) != 2 && strlen(out) != 3);
		}
		free(out);
	}
}

/* Random bytes yield no control character, JSON is valid UTF-8 and the length is bounded. */
static void random_bytes_are_escaped(void **state)
{
	char in[32], out[32 * FLT_ESCAPE_JSON_GROWTH + 1];
	size_t i, n, step, used;
	uint32_t point;
	unsigned int k;

	(void)state;
	srand(1);
	for (k = 0; k < 20000; k++) {
		n = (size_t)rand() % sizeof(in);
		for (i = 0; i < n; i++)
			in[i] = (char)(rand() & (k & 1 ? 0xff : 0xbf));
		used = flt_escape_text(out, sizeof(out), in, n);
		assert_true(used <= n * FLT_ESCAPE_GROWTH);
		for (i = 0; i < used; i += step) {
			step = flt_escape_decode(out + i, used - i, &point);
			assert_true(step && point >= 0x20 && point != 0x7f);
			assert_false(point >= 0x80 && point < 0xa0);
		}
		used = flt_escape_json(out, sizeof(out), in, n);
		assert_true(used <= n * FLT_ESCAPE_JSON_GROWTH);
		for (i = 0; i < used; i += step) {
			step = flt_escape_decode(out + i, used - i, &point);
			assert_true(step && point >= 0x20);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_strings_are_escaped),
		cmocka_unit_test(nul_bytes_are_escaped),
		cmocka_unit_test(small_buffer_gets_whole_escapes),
		cmocka_unit_test(random_bytes_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
