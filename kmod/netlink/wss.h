/* SPDX-License-Identifier: GPL-2.0-only */
/* netlink_wss - the commands for working sets; netlink.c has the table of commands. */
#ifndef FLT_NETLINK_WSS_H
#define FLT_NETLINK_WSS_H

struct genl_info;
struct sk_buff;

int flt_netlink_wss_track(struct sk_buff *request, struct genl_info *info);
int flt_netlink_wss_untrack(struct sk_buff *request, struct genl_info *info);
int flt_netlink_wss_get(struct sk_buff *request, struct genl_info *info);

#endif
