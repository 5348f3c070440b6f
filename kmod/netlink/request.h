/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * request - decode netlink attributes, which <linux/flt.h> defines, into structs. The
 * attributes have passed their policy.
 */
#ifndef FLT_REQUEST_H
#define FLT_REQUEST_H

#include <linux/flt.h>
#include <linux/netlink.h>
#include <linux/skbuff.h>
#include <net/netlink.h>
#include "stream/stream.h"
#include "wss/wss.h"

struct genl_info;

extern const struct nla_policy flt_request_filter[FLT_FILTER_MAX + 1];
extern const struct nla_policy flt_request_wss_policy[FLT_WSS_MAX + 1];

/*
 * Check capabilities and flags. Call first in every command. Return 0, -EPERM, -EINVAL for
 * an unknown flag, or -EOPNOTSUPP if the PID namespace of the caller is nested too deep.
 */
int flt_request_admit(struct sk_buff *request, struct genl_info *info);
int flt_request_admit_dump(struct netlink_callback *cb);
/* The same for a command that changes other processes, which needs CAP_SYS_ADMIN. */
int flt_request_admit_change(struct sk_buff *request, struct genl_info *info);

/* Return -EOPNOTSUPP with a message in a PID namespace other than the initial one, or 0. */
int flt_request_refuse_inner(struct netlink_ext_ack *extack);

/* Return -EINVAL with the message @why if the attribute is present, or 0. */
int flt_request_refuse(struct nlattr *attr, const char *why, struct netlink_ext_ack *extack);

/* Decode the attributes FLT_SESSION_* of a stream. Errors have a message in @extack. */
int flt_request_stream(struct flt_stream_config *config, struct nlattr **attrs,
		       struct netlink_ext_ack *extack);

/* Decode WSS_TRACK. @tgids has room for FLT_SESSION_TGIDS_MAX entries. */
int flt_request_wss(struct flt_wss_config *config, u32 *tgids, u32 *count,
		    struct genl_info *info);

#endif
