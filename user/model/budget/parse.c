// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/budget/parse.h"

#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS                                                                            \
	"expected faults, minor, major, failed, refault or a kind: anon, huge, file, shared, " \
	"cow, wp, swap, numa, migration, uffd, hugetlb, device, spurious, unknown"

/* The rest of a rule. */
struct scan {
	struct flt_rule *rule;
	const char *at, *end;
	struct flt_errmsg *e;
};

/* A word: letters, digits and what names and patterns contain, or one other character. */
struct word {
	const char *text;
	size_t length;
};

static void skip_spaces(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

static bool ends_word(char c)
{
	return strchr(" \t(),=<>!\"", c);
}

static struct word take(struct scan *s)
{
	const char *begin;

	skip_spaces(s);
	begin = s->at;
	while (s->at < s->end && !ends_word(*s->at))
		s->at++;
	if (s->at == begin && s->at < s->end)
		s->at++;
	return (struct word){ begin, (size_t)(s->at - begin) };
}

static bool is(struct word w, const char *text)
{
	return w.length == strlen(text) && !memcmp(w.text, text, w.length);
}

/* Return true and take the word if it comes next. */
static bool accept(struct scan *s, const char *text)
{
	const char *before = s->at;

	if (is(take(s), text))
		return true;
	s->at = before;
	return false;
}

static int refuse(struct scan *s, const char *what, struct word w, const char *remedy)
{
	const struct flt_rule *r = s->rule;

	if (!w.length)
		return flt_errmsg_set(s->e, -EINVAL, "%s:%u: missing %s (%s)", r->file, r->line,
				      what, remedy);
	return flt_errmsg_set(s->e, -EINVAL, "%s:%u: invalid %s '%.*s' (%s)", r->file, r->line,
			      what, (int)w.length, w.text, remedy);
}

static int keep(char **out, const char *text, size_t length)
{
	*out = strndup(text, length);
	return *out ? 0 : -ENOMEM;
}

/* Take a string in quotes. \" is a quote; other backslashes are kept, for regular expressions. */
static int take_string(struct scan *s, char **out, const char *what)
{
	const char *begin;
	size_t n = 0;
	char *text;

	skip_spaces(s);
	begin = s->at;
	if (s->at == s->end || *s->at != '"')
		return refuse(s, what, take(s), "expected a text in double quotes");
	text = malloc((size_t)(s->end - s->at) + 1);
	if (!text)
		return -ENOMEM;
	*out = text;
	for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
		if (*s->at == '\\' && s->at + 1 < s->end) {
			if (s->at[1] != '"')
				text[n++] = *s->at;
			s->at++;
		}
		text[n++] = *s->at;
	}
	text[n] = '\0';
	if (s->at == s->end)
		return refuse(s, what, (struct word){ begin, (size_t)(s->end - begin) },
			      "expected a closing double quote");
	s->at++;
	if (!n)
		return refuse(s, what, (struct word){ begin, 2 }, "expected a text that is not "
			      "empty");
	return 0;
}

/* Take a pattern of a selector: a text in quotes, or everything up to a comma or parenthesis. */
static int take_pattern(struct scan *s, char **out, const char *key)
{
	const char *begin, *end;

	if (*out)
		return refuse(s, "selector", (struct word){ key, strlen(key) },
			      "expected each of process, thread and function once");
	skip_spaces(s);
	if (s->at < s->end && *s->at == '"')
		return take_string(s, out, "pattern");
	begin = s->at;
	while (s->at < s->end && !strchr(",()\"", *s->at))
		s->at++;
	end = s->at;
	while (end > begin && strchr(" \t", end[-1]))
		end--;
	if (end == begin)
		return refuse(s, "pattern", take(s), "expected a name, in double quotes if it "
			      "contains a comma or parenthesis");
	return keep(out, begin, (size_t)(end - begin));
}

static int take_selector(struct scan *s)
{
	struct flt_rule *r = s->rule;
	const struct {
		const char *key;
		char **pattern;
	} keys[] = {
		{ "process", &r->process }, { "thread", &r->thread }, { "function", &r->function },
	};
	const char *begin = s->at;
	struct word key = take(s);
	size_t i;

	if (!key.length || ends_word(*key.text) || !accept(s, "=")) {
		s->at = begin;
		return take_pattern(s, &r->function, "function");
	}
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (is(key, keys[i].key))
			return take_pattern(s, keys[i].pattern, keys[i].key);
	return refuse(s, "selector", key, "expected process, thread or function before '='");
}

static int take_selectors(struct scan *s)
{
	int ret;

	if (!accept(s, "("))
		return 0;
	do {
		ret = take_selector(s);
		if (ret)
			return ret;
	} while (accept(s, ","));
	if (accept(s, ")"))
		return 0;
	return refuse(s, "end of the selectors", take(s), "expected ',' or ')'");
}

static int take_limit(struct scan *s)
{
	static const char *const ops[] = { "==", "<=", ">=", "<", ">" };
	static const enum flt_budget_op values[] = {
		FLT_BUDGET_EQUAL, FLT_BUDGET_AT_MOST, FLT_BUDGET_AT_LEAST, FLT_BUDGET_LESS,
		FLT_BUDGET_MORE,
	};
	const char *begin;
	struct word w;
	size_t i, n;

	skip_spaces(s);
	begin = s->at;
	for (i = 0; i < 5; i++) {
		n = strlen(ops[i]);
		if ((size_t)(s->end - s->at) >= n && !memcmp(s->at, ops[i], n))
			break;
	}
	if (i == 5)
		return refuse(s, "operator", take(s), "expected ==, <=, <, >= or >");
	s->rule->op = values[i];
	s->at += n;
	w = take(s);
	for (i = 0; i < w.length; i++)
		if (w.text[i] < '0' || w.text[i] > '9')
			break;
	if (!w.length || i < w.length || w.length > 15)
		return refuse(s, "limit", w, "expected a number of faults of at most 15 digits");
	s->rule->limit = strtoull(w.text, NULL, 10);
	s->rule->limit_at = (size_t)(begin - s->rule->text);
	s->rule->limit_length = (size_t)(s->at - begin);
	return 0;
}

static int take_line(struct scan *s, struct flt_mark *m)
{
	char why[128];
	regex_t regex;
	int ret = take_string(s, &m->name, "line"), bad;

	if (ret)
		return ret;
	bad = regcomp(&regex, m->name, REG_EXTENDED | REG_NOSUB);
	if (!bad) {
		regfree(&regex);
		return 0;
	}
	regerror(bad, &regex, why, sizeof(why));
	return refuse(s, "line", (struct word){ m->name, strlen(m->name) }, why);
}

static int take_signal(struct scan *s, struct flt_mark *m)
{
	struct word w = take(s);
	size_t skip = w.length > 3 && !memcmp(w.text, "SIG", 3) ? 3 : 0;
	struct word name = { w.text + skip, w.length - skip };

	if (!is(name, "USR1") && !is(name, "USR2"))
		return refuse(s, "signal", w, "expected USR1 or USR2");
	m->signal = is(name, "USR1") ? SIGUSR1 : SIGUSR2;
	return keep(&m->name, name.text, name.length);
}

static int take_mark(struct scan *s, struct flt_mark *m)
{
	struct word w = take(s);

	if (m->type)
		return refuse(s, "end of the rule", w, "expected 'after' and 'before' once each");
	if (is(w, "mark")) {
		m->type = FLT_MARK_CALL;
		return take_string(s, &m->name, "mark");
	}
	if (is(w, "line")) {
		m->type = FLT_MARK_LINE;
		return take_line(s, m);
	}
	if (is(w, "signal")) {
		m->type = FLT_MARK_SIGNAL;
		return take_signal(s, m);
	}
	return refuse(s, "kind of mark", w, "expected mark \"NAME\", line \"REGEX\" or signal "
		      "USR1");
}

int budget_parse_rule(struct flt_rule *rule, const char *text, size_t length,
		      struct flt_errmsg *e)
{
	struct scan s = { .rule = rule, .e = e };
	struct word w;
	int ret = keep(&rule->text, text, length);

	if (ret)
		return ret;
	s.at = rule->text;
	s.end = s.at + strlen(rule->text);
	w = take(&s);
	if (!flt_budget_counter_find(w.text, w.length, &rule->counter))
		return refuse(&s, "counter", w, COUNTERS);
	ret = take_selectors(&s);
	if (!ret)
		ret = take_limit(&s);
	while (!ret) {
		if (accept(&s, "after")) {
			ret = take_mark(&s, &rule->after);
		} else if (accept(&s, "before")) {
			ret = take_mark(&s, &rule->before);
		} else {
			w = take(&s);
			return !w.length ? 0 : refuse(&s, "end of the rule", w,
						      "expected 'after', 'before' or nothing");
		}
	}
	return ret;
}
