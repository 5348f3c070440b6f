// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/rates.h"

#include <stdlib.h>

#include "account/counter.h"

/* Subtract in place. Return false at the first number that would become negative. */
static bool subtract(uint64_t *n, const uint64_t *before, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (n[i] < before[i])
			return false;
		n[i] -= before[i];
	}
	return true;
}

/*
 * Subtract in place, and never below 0: the kind of a fault that is in progress may become
 * another one (FLT_HUGE for FLT_ANON) when the fault has ended.
 */
static void subtract_kinds(uint64_t *n, const uint64_t *before)
{
	size_t i;

	for (i = 0; i < __FLT_KIND_MAX; i++)
		n[i] = n[i] > before[i] ? n[i] - before[i] : 0;
}

static void add(uint64_t *n, const uint64_t *more, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		n[i] += more[i];
}

static bool subtract_counters(struct flt_account *out, const struct flt_account *before)
{
	const struct flt_counter *c;
	uint64_t then;
	size_t i;

	for (i = 0; (c = flt_counter_at(i)); i++) {
		then = flt_counter_read(c, before);
		if (c->fold == FLT_FOLD_SUM && !subtract(flt_counter_in(c, out), &then, 1))
			return false;
	}
	out->unknown |= before->unknown;
	return true;
}

bool flt_rates_subtract(const struct flt_account *after, const struct flt_account *before,
			struct flt_account *out)
{
	struct flt_account result = *after;

	subtract_kinds(result.kinds, before->kinds);
	if (subtract_counters(&result, before) &&
	    subtract(&result.kinds_beyond, &before->kinds_beyond, 1) &&
	    subtract(result.octaves, before->octaves, FLT_OCTAVES)) {
		*out = result;
		return false;
	}
	*out = *after;
	return true;
}

void flt_rates_add(struct flt_account *sum, const struct flt_account *more)
{
	const struct flt_counter *c;
	size_t i;

	for (i = 0; (c = flt_counter_at(i)); i++) {
		uint64_t *n = flt_counter_in(c, sum), value = flt_counter_read(c, more);

		if (c->fold == FLT_FOLD_SUM)
			*n += value;
		else if (*n < value)
			*n = value;
	}
	sum->unknown |= more->unknown;
	add(sum->kinds, more->kinds, __FLT_KIND_MAX);
	sum->kinds_beyond += more->kinds_beyond;
	add(sum->octaves, more->octaves, FLT_OCTAVES);
}

void flt_rates_sum(const struct flt_rows *rows, struct flt_account *sum)
{
	size_t i;

	*sum = (struct flt_account){ 0 };
	for (i = 0; i < rows->count; i++)
		flt_rates_add(sum, &rows->row[i].account);
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
