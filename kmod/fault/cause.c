// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "fault/cause.h"

noinline int flt_cause_read(const struct flt_event *e)
{
	struct flt_delays *d = &e->task->delays;
	bool measured;
	u64 total = flt_delays_total(&measured);

	d->start = e->start;
	/* Since the last fault of the thread most sums have not changed. */
	if (unlikely(d->total != total)) {
		flt_delays_read(d->ns);
		d->lock = d->lock_wait;
		d->lock_wait = 0;
		/* A fault after a wait for mmap_lock is not plain. */
		d->total = d->lock ? FLT_DELAYS_CHANGED : total;
	}
	return 0;
}

/* Return @ns less @part, but not less than 0. */
static u64 without(u64 ns, u64 part)
{
	return ns > part ? ns - part : 0;
}

/* Take up to @ns of what is left. */
static u64 take(u64 *left, u64 ns)
{
	ns = min(ns, *left);
	*left -= ns;
	return ns;
}

/*
 * Split what the waits for a CPU have left. @d: the delays during the fault.
 *
 * A wait for a page of swap is a wait for a device, so the kind tells these apart. A wait for a
 * device inside direct reclaim counts as reclaim if the fault reads no page itself. If the fault
 * may read one, the wait counts as both: the sums do not say which of the waits were inside.
 */
static void split_delays(u8 kind, const u64 *d, u64 *left, u64 *part)
{
	u64 memory = d[FLT_DELAY_RECLAIM] + d[FLT_DELAY_COMPACT], io = d[FLT_DELAY_BLKIO];

	if (kind == FLT_KIND_SWAP) {
		part[FLT_CAUSE_SWAP] = take(left, d[FLT_DELAY_SWAPIN] + io);
	} else {
		part[FLT_CAUSE_THRASHING] = take(left, d[FLT_DELAY_THRASHING]);
		io = without(io, d[FLT_DELAY_THRASHING]);
		if (kind != FLT_KIND_FILE && kind != FLT_KIND_SHARED && kind != FLT_KIND_COW)
			io = without(io, memory);
		part[FLT_CAUSE_IO] = take(left, io);
	}
	part[FLT_CAUSE_RECLAIM] = take(left, d[FLT_DELAY_RECLAIM]);
	part[FLT_CAUSE_COMPACTION] = take(left, d[FLT_DELAY_COMPACT]);
	part[FLT_CAUSE_COPY] = take(left, without(d[FLT_DELAY_WPCOPY],
						  memory + d[FLT_DELAY_QUEUE]));
}

void flt_cause_split(const struct flt_event *e, u64 ns, u64 part[__FLT_CAUSE_MAX])
{
	const struct flt_delays *begin = &e->task->delays;
	bool measured = flt_delays_of(current);
	u64 delay[__FLT_DELAY_MAX], left = ns;
	int i;

	flt_delays_read(delay);
	for (i = 0; i < __FLT_DELAY_MAX; i++)
		delay[i] -= begin->ns[i];
	memset(part, 0, __FLT_CAUSE_MAX * sizeof(*part));
	part[FLT_CAUSE_QUEUE] = take(&left, delay[FLT_DELAY_QUEUE]);
	if (measured)
		split_delays(e->kind, delay, &left, part);
	part[flt_cause_rest(e->kind, measured)] += left;
	part[FLT_CAUSE_LOCK] = begin->lock;
}

void flt_cause_parts(const struct flt_event *e, u64 ns, u64 part[__FLT_CAUSE_MAX])
{
	u32 cause;

	if (!flt_cause_is_plain(e, &cause)) {
		flt_cause_split(e, ns, part);
		return;
	}
	memset(part, 0, __FLT_CAUSE_MAX * sizeof(*part));
	part[cause] = ns;
}
