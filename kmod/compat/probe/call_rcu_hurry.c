// SPDX-License-Identifier: GPL-2.0-only
/* since 6.2: call_rcu() may wait for seconds */
#include <linux/rcupdate.h>

void test(struct rcu_head *head, rcu_callback_t function)
{
	call_rcu_hurry(head, function);
}
