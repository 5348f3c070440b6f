/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_NET_GENETLINK_H
#define FLT_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>
#include <linux/version.h>

/*
 * Before 6.7 struct genl_dumpit_info contained the attributes ("genetlink: use attrs from
 * struct genl_info").
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
static inline struct nlattr **flt_genl_dump_attrs(struct netlink_callback *cb)
{
	return genl_dumpit_info(cb)->attrs;
}
#else
static inline struct nlattr **flt_genl_dump_attrs(struct netlink_callback *cb)
{
	return genl_dumpit_info(cb)->info.attrs;
}
#endif

#endif
