/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netlink.h - the netlink channel of a stream.
 *
 * The stream has a socket of its own, which owns the session. Replies to requests would
 * find no room on a socket that is full of faults.
 */
#ifndef FLT_SOURCE_STREAM_NETLINK_H
#define FLT_SOURCE_STREAM_NETLINK_H

#include "source/netlink/control.h"
#include "source/stream/slots.h"

struct flt_stream_netlink;

/*
 * Open a session and its stream. Return 0, an error of flt_control_stream_new(), or
 * -EOPNOTSUPP if the module is older than this channel.
 */
int flt_stream_netlink_open(struct flt_stream_netlink **netlink, const uint32_t *tgids,
			    size_t count, bool follow, const struct flt_stream_wish *wish,
			    uint32_t *session, struct flt_errmsg *e);
void flt_stream_netlink_close(struct flt_stream_netlink *netlink);

/*
 * Wait up to @wait_ms for a message, then read all that have arrived. Set *horizon to a time
 * from the module: all faults that arrive later ended after it.
 */
int flt_stream_netlink_read(struct flt_stream_netlink *netlink, int wait_ms,
			    struct flt_slots *slots, const struct flt_stream_sink *sink,
			    uint64_t *horizon, struct flt_errmsg *e);

#endif
