// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules of fault budgets: their grammar, messages, verdicts and new limits. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/budget/budget.h"
#include "model/budget/verdict.h"

static struct flt_errmsg e;

static struct flt_budget parse(const char *text)
{
	struct flt_budget b = { 0 };

	assert_int_equal(flt_budget_parse(&b, text, strlen(text), "b", 1, &e), 0);
	return b;
}

static void refuse(const char *text, const char *message)
{
	struct flt_budget b = { 0 };

	e.text[0] = '\0';
	assert_int_equal(flt_budget_parse(&b, text, strlen(text), "b", 1, &e), -EINVAL);
	if (!strstr(e.text, message))
		fail_msg("'%s' lacks '%s'", e.text, message);
	flt_budget_free(&b);
}

static void rules_are_parsed(void **unused)
{
	struct flt_budget b = parse("# a comment\n"
				    "major == 0\n"
				    "\n"
				    "  minor <= 12000   # about 47 MiB\n"
				    "refault(process_batch) == 0 after mark \"ready\"\r\n"
				    "anon( thread = io-* , function=\"ns::f(int, int)\" ) < 10\n"
				    "faults(process=sh)>=1 after signal SIGUSR1 before line \"a#\\\"b\\.\"");
	const struct flt_rule *r = b.rules;

	(void)unused;
	assert_int_equal(b.count, 5);
	assert_int_equal(r[0].line, 2);
	assert_int_equal(r[0].counter, FLT_BUDGET_MAJOR);
	assert_int_equal(r[0].op, FLT_BUDGET_EQUAL);
	assert_int_equal(r[0].limit, 0);
	assert_string_equal(r[1].text, "minor <= 12000");
	assert_int_equal(r[1].line, 4);
	assert_int_equal(r[1].limit, 12000);
	assert_string_equal(r[2].function, "process_batch");
	assert_int_equal(r[2].after.type, FLT_MARK_CALL);
	assert_string_equal(r[2].after.name, "ready");
	assert_int_equal(r[3].counter, FLT_BUDGET_KIND + FLT_KIND_ANON);
	assert_string_equal(r[3].thread, "io-*");
	assert_string_equal(r[3].function, "ns::f(int, int)");
	assert_null(r[3].process);
	assert_string_equal(r[4].process, "sh");
	assert_int_equal(r[4].op, FLT_BUDGET_AT_LEAST);
	assert_int_equal(r[4].after.signal, SIGUSR1);
	assert_int_equal(r[4].before.type, FLT_MARK_LINE);
	assert_string_equal(r[4].before.name, "a#\"b\\.");
	flt_budget_free(&b);
}

static void messages_name_place_word_and_remedy(void **unused)
{
	struct flt_budget b = { 0 };

	(void)unused;
	refuse("major == 0\nmionr <= 3", "b:2: invalid counter 'mionr' (expected faults, minor,");
	refuse("minor", "b:1: missing operator (expected ==, <=, <, >= or >)");
	refuse("minor = 3", "b:1: invalid operator '='");
	refuse("minor <=", "b:1: missing limit (expected a number");
	refuse("minor <= 3M", "b:1: invalid limit '3M'");
	refuse("minor <= -1", "b:1: invalid limit '-1'");
	refuse("minor <= 1234567890123456", "b:1: invalid limit");
	refuse("minor(thred=x) == 0", "b:1: invalid selector 'thred'");
	refuse("minor(thread=a, thread=b) == 0", "b:1: invalid selector 'thread'");
	refuse("minor(f == 0", "b:1:");
	refuse("minor() == 0", "b:1: invalid pattern ')'");
	refuse("minor == 0 after", "b:1: missing kind of mark");
	refuse("minor == 0 after ready", "b:1: invalid kind of mark 'ready'");
	refuse("minor == 0 after mark ready", "b:1: invalid mark 'ready' (expected a text in double quotes)");
	refuse("minor == 0 after mark \"ready", "b:1: invalid mark '\"ready'");
	refuse("minor == 0 after mark \"\"", "b:1: invalid mark '\"\"'");
	refuse("minor == 0 after line \"(\"", "b:1: invalid line '('");
	refuse("minor == 0 after signal KILL", "b:1: invalid signal 'KILL' (expected USR1 or USR2)");
	refuse("minor == 0 after mark \"a\" after mark \"b\"", "b:1: invalid end of the rule");
	refuse("minor == 0 please", "b:1: invalid end of the rule 'please'");
	assert_int_equal(flt_budget_parse(&b, "minor == 0\0", 11, "b", 7, &e), -EINVAL);
	assert_non_null(strstr(e.text, "b:7: invalid character NUL"));
	flt_budget_free(&b);
}

static void verdicts_never_guess(void **unused)
{
	struct flt_budget b = parse("minor == 5\nminor <= 5\nminor < 5\nminor >= 5\nminor > 5\nminor < 0");
	static const struct {
		uint64_t least, most;
		const char *verdicts;	/* a letter per rule: kept, broken, unmeasured */
	} cases[] = {
		{ 0, 0, "bkkbbb" }, { 4, 4, "bkkbbb" }, { 5, 5, "kkbkbb" }, { 6, 6, "bbbkkb" },
		{ 4, 5, "ukuubb" }, { 5, 6, "uubkub" }, { 0, ~0ull, "uuuuub" }, { 5, ~0ull, "uubkub" },
		{ 6, ~0ull, "bbbkkb" },
	};
	enum flt_budget_verdict v;
	size_t i, k;

	(void)unused;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (k = 0; k < b.count; k++) {
			v = flt_budget_judge(&b.rules[k], cases[i].least, cases[i].most);
			if (flt_budget_verdict_name(v)[0] != cases[i].verdicts[k])
				fail_msg("case %zu rule %zu: %s", i, k, flt_budget_verdict_name(v));
		}
	}
	assert_int_equal(flt_budget_most(&b.rules[0]), 5);
	assert_int_equal(flt_budget_most(&b.rules[2]), 4);
	assert_true(flt_budget_most(&b.rules[3]) == ~0ull);
	flt_budget_free(&b);
}

static bool counts(const char *counter, uint32_t flags, enum flt_kind kind)
{
	struct flt_rule rule = { 0 };

	assert_true(flt_budget_counter_find(counter, strlen(counter), &rule.counter));
	return flt_rule_counts(&rule, flags, kind);
}

static void counters_count_as_the_kernel_does(void **unused)
{
	(void)unused;
	assert_true(counts("minor", 0, FLT_KIND_ANON));
	assert_true(counts("faults", 0, FLT_KIND_ANON));
	assert_false(counts("major", 0, FLT_KIND_ANON));
	assert_true(counts("major", FLT_FAULT_MAJOR, FLT_KIND_FILE));
	assert_false(counts("minor", FLT_FAULT_MAJOR, FLT_KIND_FILE));
	assert_true(counts("faults", FLT_FAULT_MAJOR, FLT_KIND_FILE));
	assert_true(counts("file", FLT_FAULT_MAJOR, FLT_KIND_FILE));
	assert_false(counts("anon", 0, FLT_KIND_FILE));
	assert_true(counts("refault", FLT_FAULT_MAJOR, FLT_KIND_SWAP));
	assert_true(counts("refault", 0, FLT_KIND_SWAP));
	assert_false(counts("refault", 0, FLT_KIND_ANON));
	/* A fault that failed is in no other counter. */
	assert_true(counts("failed", FLT_FAULT_FAILED, FLT_KIND_ANON));
	assert_false(counts("faults", FLT_FAULT_FAILED, FLT_KIND_ANON));
	assert_false(counts("anon", FLT_FAULT_FAILED, FLT_KIND_ANON));
	assert_false(counts("failed", 0, FLT_KIND_ANON));
}

static void names_match_patterns(void **unused)
{
	(void)unused;
	assert_true(flt_rule_names("f", "f"));
	assert_false(flt_rule_names("f", "ff"));
	assert_true(flt_rule_names("io-*", "io-7"));
	assert_true(flt_rule_names("ns::f", "ns::f(int, char const*)"));
	assert_true(flt_rule_names("ns::f(int)", "ns::f(int)"));
	assert_false(flt_rule_names("ns::g", "ns::f(int)"));
	assert_true(flt_rule_names("f", "f.constprop.0"));
	assert_true(flt_rule_names("f", "f.part.0.cold"));
	assert_true(flt_rule_names("ns::f", "ns::f(int) [clone .isra.0]"));
	assert_false(flt_rule_names("f", "ff.part.0"));
	assert_false(flt_rule_names("f", ".f"));
	assert_false(flt_rule_names("", "(anonymous)"));
}

static void windows_begin_with_the_mark(void **unused)
{
	const struct flt_window all = { 0 }, part = { 10, 20 };

	(void)unused;
	assert_true(flt_window_has(&all, 0));
	assert_true(flt_window_has(&all, ~0ull));
	assert_false(flt_window_has(&part, 9));
	assert_true(flt_window_has(&part, 10));
	assert_true(flt_window_has(&part, 19));
	assert_false(flt_window_has(&part, 20));
}

static void new_limits_keep_the_rest_of_the_text(void **unused)
{
	const char *text = "# all\nmajor == 0 # never\n\nminor(f) <=  5 after mark \"x\"\nanon<3\n";
	const uint64_t limits[] = { ~0ull, 132, 0 };
	struct flt_budget b = parse(text);
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	(void)unused;
	assert_non_null(file);
	flt_budget_rewrite(&b, text, strlen(text), limits, file);
	fclose(file);
	assert_string_equal(out, "# all\nmajor == 0 # never\n\nminor(f) <= 132 after mark \"x\"\nanon<= 0\n");
	free(out);
	flt_budget_free(&b);
	assert_int_equal(flt_budget_slack(0, 10), 0);
	assert_int_equal(flt_budget_slack(1, 10), 2);
	assert_int_equal(flt_budget_slack(100, 10), 110);
	assert_int_equal(flt_budget_slack(101, 0), 101);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_parsed),
		cmocka_unit_test(messages_name_place_word_and_remedy),
		cmocka_unit_test(verdicts_never_guess),
		cmocka_unit_test(counters_count_as_the_kernel_does),
		cmocka_unit_test(names_match_patterns),
		cmocka_unit_test(windows_begin_with_the_mark),
		cmocka_unit_test(new_limits_keep_the_rest_of_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
