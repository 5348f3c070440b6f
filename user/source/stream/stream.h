/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - the faults and notes of a session, as they flow.
 *
 * By the session's relay files, or by netlink where those cannot be opened; who
 * reads does not see which. Records of all CPUs come in the order in which their
 * faults ended. A round of reading is put in order as a whole; what ended less than
 * FLT_STREAM_WINDOW_NS before it waits for the next one, since a slower CPU may
 * still be writing; by netlink, what ended after the horizon that the module tells.
 * CPUs that come up later are found.
 */
#ifndef FLT_SOURCE_STREAM_H
#define FLT_SOURCE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/netlink/control.h"
#include "source/stream/item.h"
#include "text/errmsg.h"

#define FLT_STREAM_WINDOW_NS 20000000ull

struct flt_stream;

/*
 * A session of its own, and its stream: of these processes or, without any, of all.
 * It ends with the stream, which has to be closed before the control. Errors: those of
 * flt_control_stream_new(); -ENOENT, -EACCES: the relay files that were asked for
 * cannot be reached; -EOPNOTSUPP: processes are named, and in another PID namespace
 * than the module's.
 */
int flt_stream_open(struct flt_stream **stream, struct flt_control *control,
		    const uint32_t *tgids, size_t count, bool follow,
		    const struct flt_stream_wish *wish, struct flt_errmsg *e);
void flt_stream_close(struct flt_stream *stream);

/* The session, to be asked for by flt_control_session(). */
uint32_t flt_stream_session(const struct flt_stream *stream);

/*
 * Reads what is there and hands on what is old enough. -EBADMSG: the bytes are no
 * stream of ours.
 */
int flt_stream_read(struct flt_stream *stream, const struct flt_stream_sink *sink,
		    struct flt_errmsg *e);

/* What became of a stream that was read to its end. */
struct flt_stream_end {
	uint64_t delivered;	/* faults handed on */
	uint64_t lost;		/* found no room in the stream */
	uint64_t untold;	/* of these: at the end, no gap told of them */
	uint64_t missed;	/* by the probe: in the accounts, and in no stream */
	struct flt_session session;
};

/*
 * The last reading: asks what the session wrote, and hands on everything once that has
 * come. -EBADMSG as well if it does not come.
 */
int flt_stream_end(struct flt_stream *stream, const struct flt_stream_sink *sink,
		   struct flt_stream_end *end, struct flt_errmsg *e);

#endif
