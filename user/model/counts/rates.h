/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rates.h - differences of two snapshots of counters that only grow. */
#ifndef FLT_MODEL_RATES_H
#define FLT_MODEL_RATES_H

#include "account/account.h"

/*
 * Subtract `before` from `after`, counter by counter. Counters that are not sums, like latency_max,
 * are copied from `after`. If a counter is smaller than before, the module was reloaded: copy all
 * of `after` and return true. A kind that is smaller than before has increased by 0, because the
 * kind of a fault in progress may be another one when the fault has ended.
 */
bool flt_rates_subtract(const struct flt_account *after, const struct flt_account *before,
			struct flt_account *out);
void flt_rates_add(struct flt_account *sum, const struct flt_account *more);
/* Store the sum of all rows. A difference of such sums would lose the counts of rows that left. */
void flt_rates_sum(const struct flt_rows *rows, struct flt_account *sum);

/* Return the number of ended faults: minor, major and failed. */
uint64_t flt_rates_ended(const struct flt_account *account);

double flt_rates_per_second(uint64_t count, uint64_t ns);

/* Sort rows by id, as flt_rates_between() expects. */
void flt_rates_order(struct flt_rows *rows);
/* Sort rows by faults, largest first. Ties are sorted by id, so that reports are stable. */
void flt_rates_rank(struct flt_rows *rows);

/* Return the row with this id, or NULL. Rows must be sorted by id. */
const struct flt_row *flt_rates_find(const struct flt_rows *rows, uint64_t id);

/*
 * Add rows that only `before` has, for a snapshot that may miss rows. Both lists are sorted by id
 * and stay sorted. Return -ENOMEM.
 */
int flt_rates_keep(struct flt_rows *rows, const struct flt_rows *before);

/*
 * Store the differences of all rows of `after` that faulted since `before`. Rows that `before` does
 * not have are copied. Rows are matched by id; both lists must be sorted by id. Add the accounts of
 * rows that only `before` has to `gone` (may be NULL), and store their number. Return -ENOMEM.
 */
int flt_rates_between(const struct flt_rows *before, const struct flt_rows *after,
		      struct flt_rows *out, struct flt_account *gone, uint64_t *count);

#endif
