/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_RCUPDATE_H
#define FLT_COMPAT_LINUX_RCUPDATE_H

#include_next <linux/rcupdate.h>
#include <flt_compat.h>

/* Before 6.2 call_rcu() was never lazy. */
#if !FLT_HAVE_CALL_RCU_HURRY
#define call_rcu_hurry call_rcu
#endif

/* Before 5.13 nobody could ask whether a grace period has ended, only wait for its end. */
#if !FLT_HAVE_RCU_POLL
static inline unsigned long start_poll_synchronize_rcu(void)
{
	return get_state_synchronize_rcu();
}

/* May sleep. */
static inline bool poll_state_synchronize_rcu(unsigned long state)
{
	cond_synchronize_rcu(state);
	return true;
}
#endif

#endif
