/* SPDX-License-Identifier: GPL-2.0-only */
/* netlink_session_cmd - the commands for sessions; netlink.c has the table of commands. */
#ifndef FLT_NETLINK_SESSION_CMD_H
#define FLT_NETLINK_SESSION_CMD_H

struct genl_info;
struct sk_buff;

int flt_netlink_session_new(struct sk_buff *request, struct genl_info *info);
int flt_netlink_session_get(struct sk_buff *request, struct genl_info *info);
int flt_netlink_session_del(struct sk_buff *request, struct genl_info *info);

#endif
