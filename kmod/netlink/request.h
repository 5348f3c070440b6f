/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * request - netlink attributes as our structs; the shapes are <linux/flt.h>'s, and
 * what reply.h is for answers. Attributes have passed their policy.
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

/* To be asked first by every command: -EPERM, or -EINVAL for a flag nobody knows. */
int flt_request_admit(struct sk_buff *request, struct genl_info *info);
int flt_request_admit_dump(struct netlink_callback *cb);

/* -EINVAL with that sentence if the attribute is there. */
int flt_request_refuse(struct nlattr *attr, const char *why, struct netlink_ext_ack *extack);

/* From FLT_SESSION_*; -EINVAL with a sentence. */
int flt_request_stream(struct flt_stream_config *config, struct nlattr **attrs,
		       struct netlink_ext_ack *extack);

/* From FLT_WSS_* of WSS_TRACK; @tgids has FLT_SESSION_TGIDS_MAX entries. */
int flt_request_wss(struct flt_wss_config *config, u32 *tgids, u32 *count,
		    struct genl_info *info);

#endif
