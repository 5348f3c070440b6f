/* SPDX-License-Identifier: GPL-2.0-only */
/* netlink - the generic netlink family: its commands and their policies. */
#ifndef FLT_NETLINK_H
#define FLT_NETLINK_H

int flt_netlink_init(void);
/* Unregister the family. Waits for dumps in progress. */
void flt_netlink_exit(void);

#endif
