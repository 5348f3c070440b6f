// SPDX-License-Identifier: GPL-2.0-only
/* since 5.11: the new name of nla_strlcpy() */
#include <net/netlink.h>

void test(char *to, struct nlattr *from)
{
	nla_strscpy(to, from, 16);
}
