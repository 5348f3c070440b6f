// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/stddef.h>
#include "account/account.h"

const struct flt_counter flt_counters[] = {
#define ROW(member, name, number, width, how, when, ...)	\
	{							\
		.offset = offsetof(struct flt_account, member),	\
		.attribute = number,				\
		.bits = width,					\
		.fold = FLT_FOLD_##how,				\
		.presence = FLT_PRESENCE_##when,		\
		.present = FLT_PRESENT_##when,			\
	},
	FLT_COUNTERS(ROW)
#undef ROW
	{}
};

void flt_account_merge(struct flt_account *into, const struct flt_account *from)
{
	const struct flt_counter *c;
	int i;

	for (c = flt_counters; c->attribute; c++) {
		u64 *to = (u64 *)((char *)into + c->offset);
		u64 n = flt_counter_read(c, from);

		*to = c->fold == FLT_FOLD_MAX ? max(*to, n) : *to + n;
	}
	for (i = 0; i < __FLT_KIND_MAX; i++)
		into->kind[i] += READ_ONCE(from->kind[i]);
	for (i = 0; i < FLT_OCTAVES; i++)
		into->octave[i] += READ_ONCE(from->octave[i]);
}
