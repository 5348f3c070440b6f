/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_order.h - what comes out of order, put in order of time.
 */
#ifndef FLT_SOURCE_STREAM_ORDER_H
#define FLT_SOURCE_STREAM_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct flt_stream_due {
	uint64_t time;
	size_t at;	/* of the caller */
};

/*
 * Of the same time, what came first stays first. spare has room for as many; the
 * result is in one of the two. Takes a pass for each doubling of the runs that are in
 * order already, and no more than that of whatever it is given.
 */
struct flt_stream_due *flt_stream_order(struct flt_stream_due *due, struct flt_stream_due *spare,
					size_t count);

#endif
