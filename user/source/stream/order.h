/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - a stable merge sort by time.
 */
#ifndef FLT_SOURCE_STREAM_ORDER_H
#define FLT_SOURCE_STREAM_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct flt_stream_due {
	uint64_t time;
	size_t at;	/* index, for the caller */
};

/*
 * Sort by time; equal times keep their order. spare has room for count elements. Return
 * due or spare, whichever contains the result. Each pass merges neighbouring runs that
 * are in order already, so the number of passes is log2 of the number of runs.
 */
struct flt_stream_due *flt_stream_order(struct flt_stream_due *due, struct flt_stream_due *spare,
					size_t count);

#endif
