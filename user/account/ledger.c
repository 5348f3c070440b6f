// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/ledger.h"

#include <errno.h>
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
