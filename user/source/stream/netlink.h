/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream_netlink.h - ask the module for a stream's bytes and for its horizon. */
#ifndef FLT_SOURCE_STREAM_NETLINK_H
#define FLT_SOURCE_STREAM_NETLINK_H

#include "source/netlink/control.h"
#include "source/stream/slots.h"

/*
 * Take everything that the buffers of the session held at the time of the call, and get the
 * horizon: all faults that ended before it were in the buffers then. A session with relay
 * files gives only the horizon; read the files after the call. Errors: those of
 * flt_slots_take(), and -EBADMSG if the answer is malformed.
 */
int flt_stream_netlink_read(struct flt_control *control, uint32_t session,
			    struct flt_slots *slots, const struct flt_stream_sink *sink,
			    uint64_t *horizon, struct flt_errmsg *e);

#endif
