// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/order.h"

#include <string.h>

/* Return the end of the sorted run that begins at @from. */
static size_t run_from(const struct flt_stream_due *due, size_t from, size_t count)
{
	size_t i = from < count ? from + 1 : count;

	while (i < count && due[i - 1].time <= due[i].time)
		i++;
	return i;
}

static void merge(struct flt_stream_due *to, const struct flt_stream_due *a,
		  const struct flt_stream_due *a_end, const struct flt_stream_due *b,
		  const struct flt_stream_due *b_end)
{
	while (a < a_end && b < b_end)
		*to++ = b->time < a->time ? *b++ : *a++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*to));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*to));
}

struct flt_stream_due *flt_stream_order(struct flt_stream_due *due, struct flt_stream_due *spare,
					size_t count)
{
	struct flt_stream_due *merged;
	size_t from, middle, end;

	while (run_from(due, 0, count) < count) {
		for (from = 0; from < count; from = end) {
			middle = run_from(due, from, count);
			end = run_from(due, middle, count);
			merge(spare + from, due + from, due + middle, due + middle, due + end);
		}
		merged = spare;
		spare = due;
		due = merged;
	}
	return due;
}
