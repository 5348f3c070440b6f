// SPDX-License-Identifier: GPL-2.0-only
/* since 6.0: copying a page is a delay */
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/delayacct.h>

u64 test(const struct task_delay_info *delays)
{
	return delays->wpcopy_delay;
}
