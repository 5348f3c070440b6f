// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts.h"

struct arguments {
	bool flag;
	int mode;
	unsigned int verbose;
	uint64_t number;
	uint64_t duration;
	uint64_t size;
	int choice;
	const char *string;
	struct flt_ids pids;
};

static const char *const choices[] = { "red", "green", NULL };

#define MEMBER(m) offsetof(struct arguments, m)

static const struct flt_opt opts[] = {
	{ .name = "flag", .letter = 'f', .type = FLT_OPT_FLAG, .offset = MEMBER(flag) },
	{ .name = "fast", .type = FLT_OPT_SET, .offset = MEMBER(mode), .value = 7 },
	{ .name = "verbose", .letter = 'v', .type = FLT_OPT_COUNT, .offset = MEMBER(verbose) },
	{ .name = "number", .letter = 'n', .type = FLT_OPT_U64, .offset = MEMBER(number),
	  .min = 2, .max = 10 },
	{ .name = "time", .letter = 't', .type = FLT_OPT_DURATION, .offset = MEMBER(duration) },
	{ .name = "limit", .letter = 'L', .type = FLT_OPT_SIZE, .offset = MEMBER(size),
	  .min = 1 << 20 },
	{ .name = "colour", .type = FLT_OPT_CHOICE, .offset = MEMBER(choice), .choices = choices },
	{ .name = "output", .letter = 'o', .type = FLT_OPT_FILE, .offset = MEMBER(string) },
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = MEMBER(pids) },
	{ 0 },
};

static struct {
	char line[256];
	char *argv[16];
	struct arguments args;
	struct flt_words left;
	struct flt_errmsg e;
	int ret;
} p;

static void take(const char *line)
{
	char *cursor = p.line, *word;
	int argc = 0;

	memset(&p, 0, sizeof(p));
	strcpy(p.line, line);
	p.argv[argc++] = (char *)"test";
	while ((word = strsep(&cursor, " ")))
		if (*word)
			p.argv[argc++] = word;
	p.ret = flt_opts_parse(opts, &p.args, argc, p.argv, &p.left, &p.e);
}

static void done(void)
{
	flt_opts_free(opts, &p.args);
	assert_null(p.args.pids.id);
}

static void values_are_parsed(void **state)
{
	static const char *const lines[] = { "-L 140", "-L140", "-L=140", "--limit 140",
					     "--limit=140", "--lim=140", "-fL=140", "-L 140MiB" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		take(lines[i]);
		if (p.ret || p.args.size != 140ull << 20)
			fail_msg("'%s': %d %s", lines[i], p.ret, p.e.text);
		done();
	}
	take("-f --fast -vv -v -n 3 -t 3us --colour=green -o =x");
	assert_int_equal(p.ret, 0);
	assert_true(p.args.flag);
	assert_int_equal(p.args.mode, 7);
	assert_int_equal(p.args.verbose, 3);
	assert_int_equal(p.args.number, 3);
	assert_int_equal(p.args.duration, 3000);
	assert_int_equal(p.args.choice, 1);
	/* In "-o =x" the '=' is part of the value. */
	assert_string_equal(p.args.string, "=x");
	done();
}

static void lists_are_parsed(void **state)
{
	(void)state;
	take("-p 1,2,3 --pid=7 -p2");
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.args.pids.count, 4);
	assert_int_equal(p.args.pids.id[3], 7);
	done();
	take("-p 1,,2");
	assert_int_equal(p.ret, -EINVAL);
	done();
	take("-p 1,x");
	assert_int_equal(p.ret, -EINVAL);
	done();
	take("-p 0");
	assert_int_equal(p.ret, -EINVAL);
	done();
	take("-p 99999999999");
	assert_int_equal(p.ret, -EINVAL);
	done();
}

static void words_and_command_are_split(void **state)
{
	(void)state;
	take("1 -f 5 -- cmd -f --number x --");
	assert_int_equal(p.ret, 0);
	assert_true(p.args.flag);
	assert_int_equal(p.left.argc, 2);
	assert_string_equal(p.left.argv[0], "1");
	assert_string_equal(p.left.argv[1], "5");
	assert_null(p.left.argv[2]);
	assert_string_equal(p.left.command[0], "cmd");
	assert_string_equal(p.left.command[4], "--");
	assert_null(p.left.command[5]);
	done();
	take("--");
	assert_int_equal(p.ret, -EINVAL);
	done();
	take("a b -h --nonsense");
	assert_int_equal(p.ret, 0);
	assert_true(p.left.help);
	done();
	take("");
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.left.argc, 0);
	assert_null(p.left.command);
	done();
}

static void posixly_correct_is_ignored(void **state)
{
	(void)state;
	setenv("POSIXLY_CORRECT", "1", 1);
	take("1 -f 5");
	unsetenv("POSIXLY_CORRECT");
	assert_int_equal(p.ret, 0);
	assert_true(p.args.flag);
	assert_int_equal(p.left.argc, 2);
	done();
}

static void invalid_options_are_refused(void **state)
{
	static const struct {
		const char *line;
		int ret;
		const char *says;
	} cases[] = {
		{ "-x", -EINVAL, "unknown option -x" },
		{ "--flag -fx 1", -EINVAL, "unknown option -x" },
		{ "--numbr=3", -EINVAL, "did you mean --number?" },
		{ "--zzzzzz", -EINVAL, "unknown option --zzzzzz" },
		{ "--f", -EINVAL, "unknown option --f" },
		{ "-n", -EINVAL, "missing value of --number (give --number=VALUE)" },
		{ "-fn", -EINVAL, "missing value of --number (give --number=VALUE)" },
		{ "--number", -EINVAL, "missing value of --number (give --number=VALUE)" },
		{ "--flag=1", -EINVAL, "--flag takes no value" },
		{ "--help=1", -EINVAL, "--help takes no value" },
		{ "-n 1", -ERANGE, "invalid value '1' of -n/--number (expected 2 to 10)" },
		{ "-n 11", -ERANGE, "invalid value '11' of -n/--number (expected 2 to 10)" },
		{ "-n 99999999999999999999", -ERANGE, "too large" },
		{ "-n 3x", -EINVAL, "a number" },
		{ "-t 3x", -EINVAL, "expected a time, e.g." },
		{ "-L 1K", -ERANGE, "at least 1MiB" },
		{ "--colour=blue", -EINVAL, "invalid value 'blue' of --colour (expected one of red, green)" },
		{ "--output=", -EINVAL, "empty" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		take(cases[i].line);
		if (p.ret != cases[i].ret || !strstr(p.e.text, cases[i].says))
			fail_msg("'%s': %d '%s'", cases[i].line, p.ret, p.e.text);
		done();
	}
}

static void nearest_name_is_suggested(void **state)
{
	static const char *const names[] = { "check", "stats", "record", "report", NULL };
	char longest[100];

	(void)state;
	assert_string_equal(flt_opts_nearest("stat", names), "stats");
	assert_string_equal(flt_opts_nearest("chekc", names), "check");
	assert_string_equal(flt_opts_nearest("re", names), "record");
	assert_null(flt_opts_nearest("banana", names));
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(flt_opts_nearest(longest, names));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_parsed),
		cmocka_unit_test(lists_are_parsed),
		cmocka_unit_test(words_and_command_are_split),
		cmocka_unit_test(posixly_correct_is_ignored),
		cmocka_unit_test(invalid_options_are_refused),
		cmocka_unit_test(nearest_name_is_suggested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
