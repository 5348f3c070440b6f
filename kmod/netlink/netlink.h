/* SPDX-License-Identifier: GPL-2.0-only */
/* netlink - the generic netlink family: who may ask, what for, in which words. */
#ifndef FLT_NETLINK_H
#define FLT_NETLINK_H

int flt_netlink_init(void);
/* Waits for dumps in progress. */
void flt_netlink_exit(void);

#endif
