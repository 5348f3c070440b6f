// SPDX-License-Identifier: GPL-2.0-only
/* since 6.7: struct genl_dumpit_info contains a struct genl_info */
#include <net/genetlink.h>

struct nlattr **test(struct netlink_callback *cb)
{
	return genl_dumpit_info(cb)->info.attrs;
}
