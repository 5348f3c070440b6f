// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include "account/slowest.h"

void flt_slowest_add(struct flt_slowest *s, const struct flt_slow *slow)
{
	unsigned int i, fastest = 0;
	u64 floor = U64_MAX;

	for (i = 1; i < FLT_SLOWEST_MAX; i++)
		if (s->slot[i].ns < s->slot[fastest].ns)
			fastest = i;
	raw_write_seqcount_begin(&s->seq);
	s->slot[fastest] = *slow;
	raw_write_seqcount_end(&s->seq);
	for (i = 0; i < FLT_SLOWEST_MAX; i++)
		floor = min(floor, s->slot[i].ns);
	s->floor = floor;
}

void flt_slowest_read(const struct flt_slowest *s, unsigned int slot, struct flt_slow *slow)
{
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&s->seq);
		*slow = s->slot[slot];
	} while (read_seqcount_retry(&s->seq, seq));
}
