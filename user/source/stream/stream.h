/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - read the faults and notes of a session as they happen.
 *
 * The channel is the session's relay files, or netlink where relay files cannot be opened.
 * The reader does not need to know which. Records of all CPUs are delivered in the order
 * in which their faults ended. Each read sorts and delivers the faults that ended before the
 * horizon, which the module knows. Later faults are held, because a CPU may still be writing
 * an earlier one. CPUs that come online later are included.
 */
#ifndef FLT_SOURCE_STREAM_H
#define FLT_SOURCE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/netlink/control.h"
#include "source/stream/item.h"
#include "text/errmsg.h"

struct flt_stream;

/*
 * Open a session and its stream for the given processes, or for all processes if count is 0.
 * The stream owns the session. Close the stream before the control. Errors: those of
 * flt_control_stream_new(); -ENOENT or -EACCES if the channel is RELAY and the files cannot be
 * opened.
 */
int flt_stream_open(struct flt_stream **stream, struct flt_control *control,
		    const uint32_t *tgids, size_t count, bool follow,
		    const struct flt_stream_wish *wish, struct flt_errmsg *e);
void flt_stream_close(struct flt_stream *stream);

/* Return the session ID, for flt_control_session(). */
uint32_t flt_stream_session(const struct flt_stream *stream);

/* Read what is available, and deliver what is old enough. -EBADMSG: the data is not valid. */
int flt_stream_read(struct flt_stream *stream, const struct flt_stream_sink *sink,
		    struct flt_errmsg *e);

/*
 * Deliver all faults that ended before the call. Wait until the module knows that no CPU is still
 * writing one of them, which takes an RCU grace period or two, usually some 10 ms. Call before a
 * report that must include all faults of its interval. Errors: those of flt_stream_read().
 */
int flt_stream_catch_up(struct flt_stream *stream, const struct flt_stream_sink *sink,
			struct flt_errmsg *e);

/* Totals of a stream that was read to its end. */
struct flt_stream_end {
	uint64_t delivered;	/* faults delivered */
	uint64_t lost;		/* faults lost because the buffers were full */
	uint64_t lost_last;	/* part of lost: after the last gap that was reported */
	uint64_t missed;	/* faults that the probe missed: in the accounts only */
	struct flt_session session;
};

/*
 * Read the rest: get the number of faults that the session wrote, and deliver everything once
 * they have arrived. Return -EBADMSG also if some do not arrive.
 */
int flt_stream_end(struct flt_stream *stream, const struct flt_stream_sink *sink,
		   struct flt_stream_end *end, struct flt_errmsg *e);

#endif
