/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * request - netlink attributes as our structs; the shapes are <linux/flt.h>'s, and
 * what reply.h is for answers. Attributes have passed their policy.
 */
#ifndef FLT_REQUEST_H
#define FLT_REQUEST_H

#include <linux/flt.h>
#include <net/netlink.h>
#include "stream.h"

extern const struct nla_policy flt_request_filter[FLT_FILTER_MAX + 1];

/* From FLT_SESSION_*; -EINVAL with a sentence. */
int flt_request_stream(struct flt_stream_config *config, struct nlattr **attrs,
		       struct netlink_ext_ack *extack);

#endif
