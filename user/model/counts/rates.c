// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/rates.h"

#include <stdlib.h>

/* The counters that are sums; kinds and octaves follow them. */
static const size_t sums[] = {
	offsetof(struct flt_account, minor),	   offsetof(struct flt_account, major),
	offsetof(struct flt_account, failed),	   offsetof(struct flt_account, retried),
	offsetof(struct flt_account, missed),	   offsetof(struct flt_account, remote),
	offsetof(struct flt_account, stitched),	   offsetof(struct flt_account, dropped),
	offsetof(struct flt_account, latency_sum), offsetof(struct flt_account, kinds_beyond),
};

#define SUMS (sizeof(sums) / sizeof(sums[0]))
#define ALL_SUMS (SUMS + __FLT_KIND_MAX + FLT_OCTAVES)

static uint64_t *sum_of(struct flt_account *account, size_t i)
{
	if (i < SUMS)
		return (uint64_t *)((char *)account + sums[i]);
	i -= SUMS;
	return i < __FLT_KIND_MAX ? &account->kinds[i] : &account->octaves[i - __FLT_KIND_MAX];
}

static uint64_t value_of(const struct flt_account *account, size_t i)
{
	return *sum_of((struct flt_account *)account, i);
}

bool flt_rates_subtract(const struct flt_account *after, const struct flt_account *before,
			struct flt_account *out)
{
	struct flt_account result = *after;
	size_t i;

	for (i = 0; i < ALL_SUMS; i++) {
		if (value_of(after, i) < value_of(before, i)) {
			*out = *after;
			return true;
		}
		*sum_of(&result, i) -= value_of(before, i);
	}
	*out = result;
	return false;
}

void flt_rates_add(struct flt_account *sum, const struct flt_account *more)
{
	size_t i;

	for (i = 0; i < ALL_SUMS; i++)
		*sum_of(sum, i) += value_of(more, i);
	if (more->attempts > sum->attempts)
		sum->attempts = more->attempts;
	if (more->latency_max > sum->latency_max)
		sum->latency_max = more->latency_max;
}

uint64_t flt_rates_ended(const struct flt_account *account)
{
	return account->minor + account->major + account->failed;
}

double flt_rates_per_second(uint64_t count, uint64_t ns)
{
	return ns ? (double)count * 1e9 / (double)ns : 0;
}

static int compare_id(const void *a, const void *b)
{
	const struct flt_row *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int compare_faults(const void *a, const void *b)
{
	const struct flt_row *x = a, *y = b;
	uint64_t fx = flt_rates_ended(&x->account), fy = flt_rates_ended(&y->account);

	if (fx != fy)
		return fx < fy ? 1 : -1;
	return compare_id(a, b);
}

static void sort(struct flt_rows *rows, int (*compare)(const void *, const void *))
{
	if (rows->count)
		qsort(rows->row, rows->count, sizeof(*rows->row), compare);
}

void flt_rates_order(struct flt_rows *rows)
{
	sort(rows, compare_id);
}

void flt_rates_rank(struct flt_rows *rows)
{
	sort(rows, compare_faults);
}

const struct flt_row *flt_rates_find(const struct flt_rows *rows, uint64_t id)
{
	const struct flt_row key = { .id = id };

	return rows->count ? bsearch(&key, rows->row, rows->count, sizeof(key), compare_id) : NULL;
}

int flt_rates_keep(struct flt_rows *rows, const struct flt_rows *before)
{
	size_t i, k = 0, count = rows->count;
	int ret = 0;

	for (i = 0; i < before->count && !ret; i++) {
		while (k < count && rows->row[k].id < before->row[i].id)
			k++;
		if (k == count || rows->row[k].id != before->row[i].id)
			ret = flt_rows_add(rows, &before->row[i]);
	}
	flt_rates_order(rows);
	return ret;
}

int flt_rates_between(const struct flt_rows *before, const struct flt_rows *after,
		      struct flt_rows *out, struct flt_account *gone, uint64_t *count)
{
	struct flt_row row;
	size_t i = 0, k;
	int ret;

	out->count = 0;
	*count = 0;
	for (k = 0; k < after->count; k++) {
		for (; i < before->count && before->row[i].id < after->row[k].id; i++) {
			++*count;
			if (gone)
				flt_rates_add(gone, &before->row[i].account);
		}
		row = after->row[k];
		if (i < before->count && before->row[i].id == row.id) {
			flt_rates_subtract(&after->row[k].account, &before->row[i].account,
					   &row.account);
			i++;
		}
		if (!flt_rates_ended(&row.account) && !row.account.retried)
			continue;
		ret = flt_rows_add(out, &row);
		if (ret)
			return ret;
	}
	for (; i < before->count; i++) {
		++*count;
		if (gone)
			flt_rates_add(gone, &before->row[i].account);
	}
	return 0;
}
