/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter.h - the rows of <linux/flt_counter.h> as a table, for code that loops over
 * the counters of an account.
 */
#ifndef FLT_COUNTER_H
#define FLT_COUNTER_H

#include "account/account.h"

struct flt_counter {
	const char *column;	/* NULL: not a column */
	const char *file;	/* in debugfs, also the name in metrics; NULL: none */
	const char *meaning;	/* a phrase without a full stop */
	size_t offset;		/* in struct flt_account */
	int attribute;		/* FLT_ACCOUNT_* */
	unsigned int bits;	/* in a message: 32 or 64 */
	enum flt_counter_fold fold;
	enum flt_counter_presence presence;
};

/* Return the counter at index i, in the order of the list; NULL past the last. */
const struct flt_counter *flt_counter_at(size_t i);

static inline uint64_t *flt_counter_in(const struct flt_counter *c, struct flt_account *account)
{
	return (uint64_t *)(void *)((char *)account + c->offset);
}

static inline uint64_t flt_counter_read(const struct flt_counter *c,
					const struct flt_account *account)
{
	return *flt_counter_in(c, (struct flt_account *)account);
}

#endif
