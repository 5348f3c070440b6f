/* SPDX-License-Identifier: GPL-2.0-or-later */
/* relay.h - the relay channel of a stream: one debugfs file per CPU. */
#ifndef FLT_SOURCE_STREAM_RELAY_H
#define FLT_SOURCE_STREAM_RELAY_H

#include "source/netlink/control.h"
#include "source/stream/slots.h"

struct flt_stream_relay;

/*
 * Open the relay files of a session. Return 0, -ENOENT if there is no such session or debugfs
 * is not mounted, or -EACCES.
 */
int flt_stream_relay_open(struct flt_stream_relay **relay, uint32_t session, uint32_t cpus,
			  struct flt_errmsg *e);
void flt_stream_relay_close(struct flt_stream_relay *relay);

/* Read all available slots. */
int flt_stream_relay_read(struct flt_stream_relay *relay, struct flt_slots *slots,
			  const struct flt_stream_sink *sink, struct flt_errmsg *e);

#endif
