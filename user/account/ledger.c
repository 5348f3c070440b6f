// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/ledger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNTERS (sizeof(struct flt_ledger_counts) / sizeof(uint64_t))

int flt_ledger_add(struct flt_ledger *l, const struct flt_ledger_line *line)
{
	struct flt_ledger_line *grown;

	/* Double the array whenever its size reaches a power of two. */
	if (!(l->count & (l->count - 1))) {
		grown = reallocarray(l->line, l->count ? 2 * l->count : 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		l->line = grown;
	}
	l->line[l->count++] = *line;
	return 0;
}

void flt_ledger_free(struct flt_ledger *l)
{
	free(l->line);
	*l = (struct flt_ledger){ 0 };
}

const struct flt_ledger_line *flt_ledger_find(const struct flt_ledger *l, uint64_t id)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->line[i].id == id)
			return &l->line[i];
	return NULL;
}

struct flt_ledger_line flt_ledger_since(const struct flt_ledger_line *line,
					const struct flt_ledger_line *before)
{
	struct flt_ledger_line out = *line;
	const uint64_t *b = before ? (const uint64_t *)(const void *)&before->n : NULL;
	uint64_t *n = (uint64_t *)(void *)&out.n;
	size_t i;

	if (!b)
		return out;
	for (i = 0; i < COUNTERS; i++)
		n[i] -= b[i] < n[i] ? b[i] : n[i];
	return out;
}

void flt_ledger_sum_line(struct flt_ledger_line *sum, const struct flt_ledger_line *line)
{
	uint64_t *into = (uint64_t *)(void *)&sum->n;
	const uint64_t *from = (const uint64_t *)(const void *)&line->n;
	size_t i;

	sum->nodes = line->nodes;
	sum->unknown |= line->unknown;
	for (i = 0; i < COUNTERS; i++)
		into[i] += from[i];
}

bool flt_ledger_idle(const struct flt_ledger_line *line)
{
	const uint64_t *n = line->n.count;
	size_t counters = COUNTERS - (size_t)(n - (const uint64_t *)(const void *)&line->n);

	return !flt_ledger_sum(n, counters);
}

uint64_t flt_ledger_sum(const uint64_t *count, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += count[i];
	return sum;
}

#define NAME(name, number, column) { FLT_LEDGER_COUNTER(number), column },

/* A counter without a column of its own has the column for which it is used. */
static const struct name {
	uint64_t bit;
	const char *column;
} thp_names[] = {
	FLT_THP_COUNTERS(NAME)
	{ FLT_LEDGER_COUNTER(FLT_THP_FILL_NS), "huge_ns" },
	{ FLT_LEDGER_SECTION(FLT_LEDGER_OCTAVES), "huge_p99_ns" },
	{ FLT_LEDGER_COUNTER(FLT_THP_FALLBACK_NS), "fallback_ns" },
	{ FLT_LEDGER_COUNTER(FLT_THP_COLLAPSED), "collapsed" },
	{ FLT_LEDGER_SECTION(FLT_LEDGER_SCANS), "refused" },
	{ FLT_LEDGER_SECTION(FLT_LEDGER_SPLIT_MAPS), "split_mappings" },
	{ FLT_LEDGER_SECTION(FLT_LEDGER_SPLIT_PAGES), "split_pages" },
	{ 0, NULL },
}, numa_names[] = {
	FLT_NUMA_COUNTERS(NAME)
	{ FLT_LEDGER_COUNTER(FLT_NUMA_HINTS), "hint_faults" },
	{ FLT_LEDGER_COUNTER(FLT_NUMA_LOCAL), "local" },
	{ FLT_LEDGER_COUNTER(FLT_NUMA_WANTED), "wanted" },
	{ FLT_LEDGER_COUNTER(FLT_NUMA_MOVE_NS), "move_ns" },
	{ FLT_LEDGER_SECTION(FLT_LEDGER_OCTAVES), "move_p99_ns" },
	{ FLT_LEDGER_SECTION(FLT_LEDGER_MOVED), "pages_moved" },
	{ 0, NULL },
};

void flt_ledger_say_unknown(bool numa, uint64_t unknown, char *text)
{
	const struct name *name;
	size_t length = 0;

	*text = '\0';
	for (name = numa ? numa_names : thp_names; name->bit; name++)
		if (name->bit & unknown && name->column && length < FLT_LEDGER_TEXT)
			length += (size_t)snprintf(text + length, FLT_LEDGER_TEXT - length, "%s%s",
						   length ? ", " : "", name->column);
}
