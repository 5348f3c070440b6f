/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rates.h - what happened between two looks at counters that only grow.
 */
#ifndef FLT_MODEL_RATES_H
#define FLT_MODEL_RATES_H

#include "account/account.h"

/*
 * after - before, counter by counter; attempts and latency_max, which are no
 * sums, are those of after. If a counter went backwards it was begun anew (the
 * module was reloaded), and all of after is new: returns true.
 */
bool flt_rates_subtract(const struct flt_account *after, const struct flt_account *before,
			struct flt_account *out);
void flt_rates_add(struct flt_account *sum, const struct flt_account *more);

/* Minor, major and failed: what a fault ends in, one way or another. */
uint64_t flt_rates_ended(const struct flt_account *account);

double flt_rates_per_second(uint64_t count, uint64_t ns);

/* By id, as flt_rates_between() wants its rows. */
void flt_rates_order(struct flt_rows *rows);
/* Most faults first; ties by id, so that a report is the same each time. */
void flt_rates_rank(struct flt_rows *rows);

/* The row with this id of a list that is ordered by it. NULL: none. */
const struct flt_row *flt_rates_find(const struct flt_rows *rows, uint64_t id);

/*
 * A look that was torn misses rows: those that only before has are added as they were
 * then, as nothing else is known of them. Both lists are ordered by id, and stay so. -ENOMEM.
 */
int flt_rates_keep(struct flt_rows *rows, const struct flt_rows *before);

/*
 * The rows of after that faulted since before, each with what is new in its
 * account; one that before does not have is all new. Rows are matched by id and
 * both lists ordered by it. Accounts of rows that are gone from after are added
 * to gone (may be NULL), their number returned through count. -ENOMEM.
 */
int flt_rates_between(const struct flt_rows *before, const struct flt_rows *after,
		      struct flt_rows *out, struct flt_account *gone, uint64_t *count);

#endif
