/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump - replies of several messages. Generic netlink calls .dumpit until it returns 0.
 * Each call fills one buffer and continues where the last one ended.
 */
#ifndef FLT_DUMP_H
#define FLT_DUMP_H

#include <linux/netlink.h>
#include <linux/skbuff.h>

int flt_dump_hooks(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_latency(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_slowest(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_procs(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_tasks(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_wss(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_thp(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_numa(struct sk_buff *skb, struct netlink_callback *cb);
/* .done of the dumps that allocate state in cb->args[0]. */
int flt_dump_done(struct netlink_callback *cb);
/* The same for dumps of rows, which also hold a reference to a PID namespace. */
int flt_dump_rows_done(struct netlink_callback *cb);

#endif
