// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/budget/budget.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/budget/parse.h"

void flt_budget_free(struct flt_budget *b)
{
	size_t i;

	for (i = 0; i < b->count; i++)
		flt_rule_free(&b->rules[i]);
	free(b->rules);
	*b = (struct flt_budget){ 0 };
}

static struct flt_rule *add(struct flt_budget *b)
{
	struct flt_rule *more;
	size_t room;

	if (b->count == b->room) {
		room = b->room ? b->room * 2 : 16;
		more = reallocarray(b->rules, room, sizeof(*more));
		if (!more)
			return NULL;
		b->rules = more;
		b->room = room;
	}
	b->rules[b->count] = (struct flt_rule){ 0 };
	return &b->rules[b->count];
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Return the length of a line without its comment and without spaces at the end. */
static size_t trim(const char *line, size_t length)
{
	bool quoted = false;
	size_t i;

	for (i = 0; i < length; i++) {
		if (line[i] == '"')
			quoted = !quoted;
		else if (quoted && line[i] == '\\')
			i++;
		else if (!quoted && line[i] == '#')
			break;
	}
	if (i < length)
		length = i;
	while (length && is_space(line[length - 1]))
		length--;
	return length;
}

int flt_budget_parse(struct flt_budget *b, const char *text, size_t length, const char *file,
		     uint32_t number, struct flt_errmsg *e)
{
	/* Editors of other systems begin a text in UTF-8 with this. */
	static const char utf8[] = { '\xef', '\xbb', '\xbf' };
	const bool marked = length >= sizeof(utf8) && !memcmp(text, utf8, sizeof(utf8));
	const char *line = marked ? text + sizeof(utf8) : text, *end = text + length, *next;
	struct flt_rule *rule;
	size_t used, lead;
	int ret;

	for (; line < end; number++, line = next) {
		next = memchr(line, '\n', (size_t)(end - line));
		used = trim(line, (size_t)((next ? next : end) - line));
		next = next ? next + 1 : end;
		for (lead = 0; lead < used && is_space(line[lead]); lead++)
			;
		if (lead == used)
			continue;
		rule = add(b);
		if (!rule)
			return -ENOMEM;
		rule->file = file;
		rule->line = number;
		if (memchr(line, '\0', used))
			return flt_errmsg_set(e, -EINVAL, "%s:%u: invalid character NUL (write "
					      "rules as text)", file, number);
		ret = budget_parse_rule(rule, line + lead, used - lead, e);
		if (ret) {
			flt_rule_free(rule);
			return ret;
		}
		rule->limit_at += (size_t)(line + lead - text);
		b->count++;
	}
	return 0;
}

void flt_budget_rewrite(const struct flt_budget *b, const char *text, size_t length,
			const uint64_t *limits, FILE *out)
{
	const struct flt_rule *r;
	size_t done = 0, i;

	for (i = 0; i < b->count; i++) {
		r = &b->rules[i];
		if (limits[i] == ~0ull)
			continue;
		fwrite(text + done, 1, r->limit_at - done, out);
		fprintf(out, "<= %" PRIu64, limits[i]);
		done = r->limit_at + r->limit_length;
	}
	fwrite(text + done, 1, length - done, out);
}
