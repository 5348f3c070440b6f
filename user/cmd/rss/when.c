// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/rss/rss.h"
#include "text/units.h"

static int parse_one(struct rss_when *w, char *word, struct flt_errmsg *e)
{
	const char *time = word;

	if (!strcmp(word, "peak") || !strcmp(word, "exit")) {
		w->kind = word[0] == 'p' ? RSS_PEAK : RSS_EXIT;
		return 0;
	}
	w->kind = RSS_AT;
	if (!strncmp(word, "every=", 6)) {
		w->kind = RSS_EVERY;
		time = word + 6;
	}
	if (flt_units_read_duration(time, FLT_NSEC_PER_SEC, &w->ns) ||
	    (w->kind == RSS_EVERY && !w->ns))
		return flt_errmsg_set(e, -EINVAL, "invalid moment '%s': give peak, exit, a time "
				      "since the start such as 5s, or every=1s", word);
	return 0;
}

/* Return true if the moment after the last one is in the list already. */
static bool is_listed(const struct rss_whens *whens)
{
	const struct rss_when *last = &whens->all[whens->count];
	size_t i;

	for (i = 0; i < whens->count; i++)
		if (whens->all[i].kind == last->kind && whens->all[i].ns == last->ns)
			return true;
	return false;
}

int rss_whens_parse(struct rss_whens *whens, const char *text, struct flt_errmsg *e)
{
	char copy[256], *word, *rest = copy;
	int ret = 0;

	if (strlen(text) >= sizeof(copy))
		return flt_errmsg_set(e, -EINVAL, "invalid list of moments: longer than 255 bytes");
	snprintf(copy, sizeof(copy), "%s", text);
	while (!ret && (word = strsep(&rest, ","))) {
		if (whens->count == RSS_WHENS)
			return flt_errmsg_set(e, -EINVAL, "invalid list of moments: more than %d "
					      "(use every=TIME)", RSS_WHENS);
		ret = parse_one(&whens->all[whens->count], word, e);
		whens->count += !ret && !is_listed(whens);
	}
	return ret;
}

bool rss_whens_have(const struct rss_whens *whens, enum rss_when_kind kind)
{
	size_t i;

	for (i = 0; i < whens->count; i++)
		if (whens->all[i].kind == kind)
			return true;
	return false;
}
