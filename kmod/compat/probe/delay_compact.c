// SPDX-License-Identifier: GPL-2.0-only
/* since 5.17: direct compaction is a delay of its own, and swapin_delay is no part of I/O */
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/delayacct.h>

u64 test(const struct task_delay_info *delays)
{
	return delays->compact_delay;
}
