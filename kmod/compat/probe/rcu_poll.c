// SPDX-License-Identifier: GPL-2.0-only
/* since 5.13: a grace period may be polled */
#include <linux/rcupdate.h>

bool test(void)
{
	return poll_state_synchronize_rcu(start_poll_synchronize_rcu());
}
