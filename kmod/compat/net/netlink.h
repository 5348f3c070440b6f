/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_NET_NETLINK_H
#define FLT_COMPAT_NET_NETLINK_H

#include_next <net/netlink.h>
#include <flt_compat.h>

#if !FLT_HAVE_NLA_STRSCPY
#define nla_strscpy nla_strlcpy
#endif

#endif
