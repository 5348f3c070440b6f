/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events - reply to EVENTS: what the buffers of a session hold, and a horizon.
 *
 * The reader asks, and the reply goes to the socket that asked, in its own recvmsg(). Nothing
 * is sent to a port number, which may belong to another process by then. What the reader does
 * not ask for stays in the buffers. Only full buffers lose data, which is counted.
 */
#ifndef FLT_EVENTS_H
#define FLT_EVENTS_H

#include <linux/netlink.h>
#include <linux/skbuff.h>

/* .dumpit of FLT_CMD_EVENTS. Only the owner of the session may ask. */
int flt_dump_events(struct sk_buff *skb, struct netlink_callback *cb);
/* Wait for the last grace period. Nobody can ask any more. */
void flt_events_exit(void);

#endif
