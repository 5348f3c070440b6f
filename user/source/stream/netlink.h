/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_netlink.h - a stream's bytes, by netlink.
 *
 * On a socket of its own, which is the session's: answers to questions would find
 * no room on one that is full of faults.
 */
#ifndef FLT_SOURCE_STREAM_NETLINK_H
#define FLT_SOURCE_STREAM_NETLINK_H

#include "source/netlink/control.h"
#include "source/stream/slots.h"

struct flt_stream_netlink;

/* -EOPNOTSUPP as well: the module is older than this channel. */
int flt_stream_netlink_open(struct flt_stream_netlink **netlink, const uint32_t *tgids,
			    size_t count, bool follow, const struct flt_stream_wish *wish,
			    uint32_t *session, struct flt_errmsg *e);
void flt_stream_netlink_close(struct flt_stream_netlink *netlink);

/*
 * Waits up to so long for something (0: not at all), then takes all that is there.
 * Nothing that comes later ended before horizon; the module tells it.
 */
int flt_stream_netlink_read(struct flt_stream_netlink *netlink, int wait_ms,
			    struct flt_slots *slots, const struct flt_stream_sink *sink,
			    uint64_t *horizon, struct flt_errmsg *e);

#endif
