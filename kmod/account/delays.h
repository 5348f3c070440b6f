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
#include <linux/jump_label.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

/* Enabled while a session wants the causes of latencies. */
DECLARE_STATIC_KEY_FALSE(flt_delays_on);

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

#define FLT_DELAYS_CHANGED U64_MAX	/* no sum: read all again at the next fault */

/* The sums at the beginning of a fault. */
struct flt_delays {
	u64 start;		/* clock at the first attempt of the fault; 0: none */
	u64 total;		/* of @ns; or FLT_DELAYS_CHANGED */
	u64 ns[__FLT_DELAY_MAX];
	/* ns that the thread waited for mmap_lock before the fault. Not 0: @total is CHANGED. */
	u64 lock;
	/* Of mmap_lock.c, which also changes @total. Reset by flt_waits_get(). */
	u64 lock_since;		/* clock when the thread began to wait for mmap_lock; or 0 */
	u64 lock_wait;		/* ns that it waited for mmap_lock, which it holds; or 0 */
};

/*
 * Return the total of the sums of current, which changes whenever one of them does. @measured: the
 * thread has delay accounting, not only QUEUE. A thread has it for its whole life, or never.
 */
static __always_inline u64 flt_delays_total(bool *measured)
{
	const struct task_delay_info *info = flt_delays_of(current);

	*measured = info;
	if (unlikely(!info))
		return flt_delay_queue(current);
	return flt_delay_queue(current) + flt_delay(info, blkio) + flt_delay(info, swapin) +
	       flt_delay(info, freepages) + flt_delay_compact(info) +
	       flt_delay(info, thrashing) + flt_delay_wpcopy(info);
}

/* Read the sums of current. */
static inline void flt_delays_read(u64 ns[__FLT_DELAY_MAX])
{
	const struct task_delay_info *info = flt_delays_of(current);

	memset(ns, 0, __FLT_DELAY_MAX * sizeof(*ns));
	ns[FLT_DELAY_QUEUE] = flt_delay_queue(current);
	if (!info)
		return;
	ns[FLT_DELAY_BLKIO] = flt_delay(info, blkio);
	ns[FLT_DELAY_SWAPIN] = flt_delay(info, swapin);
	ns[FLT_DELAY_RECLAIM] = flt_delay(info, freepages);
	ns[FLT_DELAY_COMPACT] = flt_delay_compact(info);
	ns[FLT_DELAY_THRASHING] = flt_delay(info, thrashing);
	ns[FLT_DELAY_WPCOPY] = flt_delay_wpcopy(info);
}

#endif
