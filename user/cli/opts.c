// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/opts.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/units.h"

/* getopt_long() returns this value plus i for row i; no character has such a value. */
#define ROW_BASE 256
/* At most 64, because flt_opts_parse() has a bit per row. */
#define OPTS_MAX 64

bool flt_opt_takes_value(const struct flt_opt *opt)
{
	return opt->type != FLT_OPT_FLAG && opt->type != FLT_OPT_SET && opt->type != FLT_OPT_COUNT;
}

static size_t edit_distance(const char *a, const char *b)
{
	size_t row[64], la = strlen(a), lb = strlen(b), i, j, diagonal, above;

	if (la >= 64 || lb >= 64)
		return SIZE_MAX;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			above = row[j];
			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
			diagonal = above;
		}
	}
	return row[lb];
}

const char *flt_opts_nearest(const char *typed, const char *const *names)
{
	size_t best = SIZE_MAX, distance, length = strlen(typed);
	const char *nearest = NULL;

	for (; *names; names++) {
		/* A prefix is more similar than any misspelling. */
		distance = length >= 2 && !strncmp(typed, *names, length) ?
				   0 : edit_distance(typed, *names);
		if (distance < best) {
			best = distance;
			nearest = *names;
		}
	}
	return best <= 1 + length / 4 ? nearest : NULL;
}

static int add_id(struct flt_ids *ids, uint32_t id)
{
	uint32_t *grown;
	size_t i;

	for (i = 0; i < ids->count; i++)
		if (ids->id[i] == id)
			return 0;
	grown = reallocarray(ids->id, ids->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	ids->id = grown;
	ids->id[ids->count++] = id;
	return 0;
}

static int add_text(struct flt_list *list, const char *text)
{
	const char **grown = reallocarray(list->text, list->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	list->text = grown;
	list->text[list->count++] = text;
	return 0;
}

static int read_ids(struct flt_ids *ids, const char *text, const char *shown, struct flt_errmsg *e)
{
	char *copy = strdup(text), *cursor = copy, *word;
	uint64_t id;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	while (!ret && (word = strsep(&cursor, ","))) {
		if (flt_units_read_u64(word, &id) || !id || id > INT_MAX)
			ret = flt_errmsg_set(e, -EINVAL, "invalid value '%s' of %s (expected "
					     "1234 or 12,34)", text, shown);
		else
			ret = add_id(ids, (uint32_t)id);
	}
	free(copy);
	return ret;
}

static int read_choice(const struct flt_opt *opt, const char *text, int *out, const char *shown,
		       struct flt_errmsg *e)
{
	char list[256] = "";
	size_t used = 0;
	int i;

	for (i = 0; opt->choices[i]; i++) {
		if (!strcmp(opt->choices[i], text)) {
			*out = i;
			return 0;
		}
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 i ? ", " : "", opt->choices[i]);
	}
	return flt_errmsg_set(e, -EINVAL, "invalid value '%s' of %s (expected one of %s)", text,
			      shown, list);
}

static void write_bound(char text[FLT_UNITS_TEXT], const struct flt_opt *opt, uint64_t bound)
{
	if (opt->type == FLT_OPT_DURATION)
		flt_units_write_ns(text, bound);
	else if (opt->type == FLT_OPT_SIZE)
		flt_units_write_size(text, bound);
	else
		snprintf(text, FLT_UNITS_TEXT, "%llu", (unsigned long long)bound);
}

char *flt_opt_range(char text[FLT_OPT_RANGE], const struct flt_opt *opt)
{
	char low[FLT_UNITS_TEXT], high[FLT_UNITS_TEXT];

	text[0] = '\0';
	write_bound(low, opt, opt->min);
	write_bound(high, opt, opt->max);
	if (opt->max)
		snprintf(text, FLT_OPT_RANGE, "%s to %s", low, high);
	else if (opt->min)
		snprintf(text, FLT_OPT_RANGE, "at least %s", low);
	return text;
}

static int read_number(const struct flt_opt *opt, const char *text, uint64_t *out,
		       const char *shown, struct flt_errmsg *e)
{
	static const char *const expected[] = {
		[FLT_OPT_U64] = "a number",
		[FLT_OPT_DURATION] = "a time, e.g. 3us, 10ms or 1.5s",
		[FLT_OPT_SIZE] = "a size, e.g. 140 (MiB), 512K or 2GiB",
	};
	char range[FLT_OPT_RANGE], bare[32];
	const char *whole = text;
	size_t length = strlen(text);
	uint64_t value;
	int ret;

	if (opt->per_second && length > 2 && length < sizeof(bare) &&
	    !strcmp(text + length - 2, "/s")) {
		snprintf(bare, sizeof(bare), "%.*s", (int)length - 2, text);
		text = bare;
	}
	if (opt->type == FLT_OPT_DURATION)
		ret = flt_units_read_duration(text, FLT_NSEC_PER_SEC, &value);
	else if (opt->type == FLT_OPT_SIZE)
		ret = flt_units_read_size(text, FLT_MIB, &value);
	else
		ret = flt_units_read_u64(text, &value);
	if (ret == -ERANGE)
		return flt_errmsg_set(e, ret, "invalid value '%s' of %s (too large)", whole, shown);
	if (ret)
		return flt_errmsg_set(e, ret, "invalid value '%s' of %s (expected %s)", whole,
				      shown, expected[opt->type]);
	if (value < opt->min || (opt->max && value > opt->max))
		return flt_errmsg_set(e, -ERANGE, "invalid value '%s' of %s (expected %s)", whole,
				      shown, flt_opt_range(range, opt));
	if (opt->power_of_two && (value & (value - 1)))
		return flt_errmsg_set(e, -EINVAL, "invalid value '%s' of %s (expected a power of "
				      "two)", whole, shown);
	*out = value;
	return 0;
}

static int read_value(const struct flt_opt *opt, void *args, const char *text, struct flt_errmsg *e)
{
	void *member = (char *)args + opt->offset;
	char shown[64];

	if (opt->letter)
		snprintf(shown, sizeof(shown), "-%c/--%s", opt->letter, opt->name);
	else
		snprintf(shown, sizeof(shown), "--%s", opt->name);

	switch (opt->type) {
	case FLT_OPT_FLAG:
		*(bool *)member = true;
		return 0;
	case FLT_OPT_SET:
		*(int *)member = opt->value;
		return 0;
	case FLT_OPT_COUNT:
		++*(unsigned int *)member;
		return 0;
	case FLT_OPT_U64:
	case FLT_OPT_DURATION:
	case FLT_OPT_SIZE:
		return read_number(opt, text, member, shown, e);
	case FLT_OPT_CHOICE:
		return read_choice(opt, text, member, shown, e);
	case FLT_OPT_STRING:
	case FLT_OPT_FILE:
		if (!*text)
			return flt_errmsg_set(e, -EINVAL, "invalid empty value of %s", shown);
		*(const char **)member = text;
		return 0;
	case FLT_OPT_IDS:
		return read_ids(member, text, shown, e);
	case FLT_OPT_LIST:
		return add_text(member, text);
	case FLT_OPT_END:
		break;
	}
	return -EINVAL;
}

static int refuse_unknown(const struct flt_opt *opts, const char *word, struct flt_errmsg *e)
{
	const char *names[OPTS_MAX + 2], *nearest;
	char typed[64];
	size_t n = 0;

	/* getopt stores a bad letter in optopt, and 0 for a bad long name. */
	if (optopt)
		return flt_errmsg_set(e, -EINVAL, "unknown option -%c",
				      optopt > ' ' && optopt < 127 ? optopt : '?');
	for (; opts && opts[n].name; n++)
		names[n] = opts[n].name;
	names[n++] = "help";
	names[n] = NULL;
	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	nearest = flt_opts_nearest(typed, names);
	if (nearest)
		return flt_errmsg_set(e, -EINVAL, "unknown option --%s; did you mean --%s?", typed,
				      nearest);
	return flt_errmsg_set(e, -EINVAL, "unknown option --%s", typed);
}

/* The two tables of getopt, generated from the options. */
struct tables {
	char letters[3 + 2 * OPTS_MAX + 2];
	struct option longs[OPTS_MAX + 2];
	size_t count;
};

static int build_tables(const struct flt_opt *opts, struct tables *t)
{
	char *letter = t->letters;
	size_t i;

	/* '-' makes getopt return words in order and ignore POSIXLY_CORRECT. */
	*letter++ = '-';
	*letter++ = ':';
	*letter++ = 'h';
	for (i = 0; opts && opts[i].name; i++) {
		if (i == OPTS_MAX)
			return -E2BIG;
		t->longs[i] = (struct option){
			.name = opts[i].name,
			.has_arg = flt_opt_takes_value(&opts[i]) ? required_argument : no_argument,
			.val = ROW_BASE + (int)i,
		};
		if (!opts[i].letter)
			continue;
		*letter++ = opts[i].letter;
		if (flt_opt_takes_value(&opts[i]))
			*letter++ = ':';
	}
	*letter = '\0';
	t->longs[i] = (struct option){ .name = "help", .val = 'h' };
	t->longs[i + 1] = (struct option){ 0 };
	t->count = i;
	return 0;
}

/* Return the option for a value of getopt_long(), or NULL. */
static const struct flt_opt *find_option(const struct flt_opt *opts, size_t count, int value)
{
	size_t i;

	if (value >= ROW_BASE)
		return &opts[value - ROW_BASE];
	for (i = 0; i < count; i++)
		if (opts[i].letter && opts[i].letter == value)
			return &opts[i];
	return NULL;
}

static int refuse(const struct flt_opt *opts, const struct tables *t, int value, char **argv,
		  struct flt_errmsg *e)
{
	const struct flt_opt *opt = optopt ? find_option(opts, t->count, optopt) : NULL;

	if (value == ':')
		return flt_errmsg_set(e, -EINVAL, "missing value of --%s (give --%s=%s)", opt->name,
				      opt->name, opt->arg ? opt->arg : "VALUE");
	if (optopt >= ROW_BASE || optopt == 'h')
		return flt_errmsg_set(e, -EINVAL, "invalid value: --%s takes no value",
				      opt ? opt->name : "help");
	return refuse_unknown(opts, argv[optind - 1], e);
}

/* Return an option that was given and sets the member of opt to another value, or NULL. */
static const struct flt_opt *find_rival(const struct flt_opt *opts, uint64_t given,
					const struct flt_opt *opt)
{
	size_t i;

	for (i = 0; opt->type == FLT_OPT_SET && opts[i].name; i++)
		if (given >> i & 1 && opts[i].type == FLT_OPT_SET &&
		    opts[i].offset == opt->offset && opts[i].value != opt->value)
			return &opts[i];
	return NULL;
}

int flt_opts_parse(const struct flt_opt *opts, void *args, int argc, char **argv,
		   struct flt_words *words, struct flt_errmsg *e)
{
	const struct flt_opt *opt, *rival;
	uint64_t given = 0;
	struct tables t;
	char *text;
	int i, value, ret, last;

	*words = (struct flt_words){ 0 };
	ret = build_tables(opts, &t);
	if (ret)
		return flt_errmsg_set(e, ret, "too many options in the table");

	/* Hide the words after "--" from getopt, which would mix them with earlier words. */
	for (last = 1; last < argc; last++)
		if (!strcmp(argv[last], "--"))
			break;
	if (last < argc) {
		argv[last] = NULL;
		words->command = argv + last + 1;
	}

	opterr = 0;
	optind = 0;
	words->argv = argv + 1;
	while ((value = getopt_long(last, argv, t.letters, t.longs, NULL)) != -1) {
		if (value == 1) {
			words->argv[words->argc++] = optarg;
			continue;
		}
		if (value == '?' || value == ':')
			return refuse(opts, &t, value, argv, e);
		if (value == 'h') {
			words->help = true;
			return 0;
		}
		opt = find_option(opts, t.count, value);
		text = optarg;
		/* getopt does not remove the '=' of -L=140. */
		if (text && value < ROW_BASE && text != argv[optind - 1] && *text == '=')
			text++;
		rival = find_rival(opts, given, opt);
		if (rival)
			return flt_errmsg_set(e, -EINVAL, "--%s and --%s exclude each other",
					      rival->name, opt->name);
		given |= 1ull << (opt - opts);
		ret = read_value(opt, args, text, e);
		if (ret)
			return ret;
	}
	for (i = words->argc + 1; i < last; i++)
		argv[i] = NULL;
	if (words->command && !words->command[0])
		return flt_errmsg_set(e, -EINVAL, "missing command after '--'");
	return 0;
}

void flt_opts_free(const struct flt_opt *opts, void *args)
{
	for (; opts && opts->name; opts++) {
		void *member = (char *)args + opts->offset;
		struct flt_list *list = member;
		struct flt_ids *ids = member;

		if (opts->type == FLT_OPT_IDS) {
			free(ids->id);
			*ids = (struct flt_ids){ 0 };
		} else if (opts->type == FLT_OPT_LIST) {
			free(list->text);
			*list = (struct flt_list){ 0 };
		}
	}
}
