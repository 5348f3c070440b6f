/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_NET_GENETLINK_H
#define FLT_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>
#include <flt_compat.h>

/*
 * Before 6.7 struct genl_dumpit_info contained the attributes ("genetlink: use attrs from
 * struct genl_info").
 */
static inline struct nlattr **flt_genl_dump_attrs(struct netlink_callback *cb)
{
#if FLT_HAVE_GENL_DUMP_INFO
	return genl_dumpit_info(cb)->info.attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* Before 6.1 the kernel ignored the flags of requests, and flt alone checks them. */
#if FLT_HAVE_GENL_RESV_START_OP
#define FLT_GENL_STRICT_FROM(command) .resv_start_op = (command),
#else
#define FLT_GENL_STRICT_FROM(command)
#endif

#endif
