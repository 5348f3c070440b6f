/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_RCUPDATE_H
#define FLT_COMPAT_LINUX_RCUPDATE_H

#include_next <linux/rcupdate.h>
#include <linux/version.h>

/* Before 6.2 call_rcu() was never lazy. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define call_rcu_hurry call_rcu
#endif

#endif
