// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/counter.h"

static const struct flt_counter counters[] = {
#define ROW(member, name, number, width, how, when, path, key, text)	\
	{									\
		.column = key,							\
		.file = path,							\
		.meaning = text,						\
		.offset = offsetof(struct flt_account, member),			\
		.attribute = number,						\
		.bits = width,							\
		.fold = FLT_FOLD_##how,						\
		.presence = FLT_PRESENCE_##when,				\
	},
	FLT_COUNTERS(ROW)
#undef ROW
};

const struct flt_counter *flt_counter_at(size_t i)
{
	return i < sizeof(counters) / sizeof(counters[0]) ? &counters[i] : NULL;
}
