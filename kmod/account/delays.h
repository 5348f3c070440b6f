/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * delays - the delays of a thread, as the kernel sums them up.
 *
 * The thread itself adds to most sums. A CPU that wakes the thread up adds to BLKIO before the
 * thread runs again (delayacct_blkio_end()). So the thread reads its own sums without a lock.
 */
#ifndef FLT_DELAYS_H
#define FLT_DELAYS_H

#include <linux/compiler.h>
#include <linux/delayacct.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

enum flt_delay {
	FLT_DELAY_QUEUE,	/* waits on a run queue */
	FLT_DELAY_BLKIO,	/* io_schedule() */
	FLT_DELAY_SWAPIN,
	FLT_DELAY_RECLAIM,
	FLT_DELAY_COMPACT,
	FLT_DELAY_THRASHING,	/* contains BLKIO */
	FLT_DELAY_WPCOPY,	/* contains RECLAIM and COMPACT */
	__FLT_DELAY_MAX
};

struct flt_delays {
	/* Clock at the first attempt of the fault at whose beginning they were read; 0: none. */
	u64 start;
	bool measured;			/* the thread has delay accounting, not only QUEUE */
	u64 ns[__FLT_DELAY_MAX];
};

/* Read the sums of @task, which must be current. */
static inline void flt_delays_read(struct flt_delays *d, const struct task_struct *task)
{
	const struct task_delay_info *info = flt_delays_of(task);

	d->measured = info;
	d->ns[FLT_DELAY_QUEUE] = flt_delay_queue(task);
	if (unlikely(!info)) {
		memset(&d->ns[FLT_DELAY_QUEUE + 1], 0, sizeof(d->ns) - sizeof(d->ns[0]));
		return;
	}
	d->ns[FLT_DELAY_BLKIO] = flt_delay(info, blkio);
	d->ns[FLT_DELAY_SWAPIN] = flt_delay(info, swapin);
	d->ns[FLT_DELAY_RECLAIM] = flt_delay(info, freepages);
	d->ns[FLT_DELAY_COMPACT] = flt_delay_compact(info);
	d->ns[FLT_DELAY_THRASHING] = flt_delay(info, thrashing);
	d->ns[FLT_DELAY_WPCOPY] = flt_delay_wpcopy(info);
}

#endif
