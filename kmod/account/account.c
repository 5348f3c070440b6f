// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>
#include <linux/minmax.h>
#include "account/account.h"

/* @from may be growing under its owner's hands; @into is the caller's alone. */
void flt_account_merge(struct flt_account *into, const struct flt_account *from)
{
	int i;

	into->minor += READ_ONCE(from->minor);
	into->major += READ_ONCE(from->major);
	into->failed += READ_ONCE(from->failed);
	into->retried += READ_ONCE(from->retried);
	into->missed += READ_ONCE(from->missed);
	into->remote += READ_ONCE(from->remote);
	into->stitched += READ_ONCE(from->stitched);
	into->dropped += READ_ONCE(from->dropped);
	into->latency_sum += READ_ONCE(from->latency_sum);
	into->latency_max = max(into->latency_max, READ_ONCE(from->latency_max));
	into->attempts = max(into->attempts, READ_ONCE(from->attempts));
	for (i = 0; i < __FLT_KIND_MAX; i++)
		into->kind[i] += READ_ONCE(from->kind[i]);
	for (i = 0; i < FLT_OCTAVES; i++)
		into->octave[i] += READ_ONCE(from->octave[i]);
}
