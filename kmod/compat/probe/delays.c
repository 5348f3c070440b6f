// SPDX-License-Identifier: GPL-2.0-only
/* with CONFIG_TASK_DELAY_ACCT: the kernel sums up the delays of a thread */
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/delayacct.h>
#include <linux/sched.h>

u64 test(const struct task_struct *task)
{
	const struct task_delay_info *delays = task->delays;

	return delays->blkio_delay + delays->swapin_delay + delays->freepages_delay +
	       delays->thrashing_delay + task->sched_info.run_delay;
}
