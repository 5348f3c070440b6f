/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_RCUPDATE_H
#define FLT_COMPAT_LINUX_RCUPDATE_H

#include_next <linux/rcupdate.h>
#include <flt_compat.h>

/* Before 6.2 call_rcu() was never lazy. */
#if !FLT_HAVE_CALL_RCU_HURRY
#define call_rcu_hurry call_rcu
#endif

#endif
