/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream_relay.h - a stream's bytes, by its session's relay files. */
#ifndef FLT_SOURCE_STREAM_RELAY_H
#define FLT_SOURCE_STREAM_RELAY_H

#include "source/netlink/control.h"
#include "source/stream/slots.h"

struct flt_stream_relay;

/* -ENOENT: no such session, or debugfs is not mounted; -EACCES. */
int flt_stream_relay_open(struct flt_stream_relay **relay, uint32_t session, uint32_t cpus,
			  struct flt_errmsg *e);
void flt_stream_relay_close(struct flt_stream_relay *relay);

/* Takes all that is there. */
int flt_stream_relay_read(struct flt_stream_relay *relay, struct flt_slots *slots,
			  const struct flt_stream_sink *sink, struct flt_errmsg *e);

#endif
