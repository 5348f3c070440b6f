/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock - measure latencies.
 *
 * A fault reads the clock twice. With ktime_get_ns() that would be a sixth of the cost of
 * accounting. If the kernel trusts the counter of the processor (arch/cycles.h), the raw counter
 * is read instead, and only the difference is converted. Raw readings do not leave the module:
 * dates are those of ktime_get_ns(), or are computed from such a date.
 */
#ifndef FLT_CLOCK_H
#define FLT_CLOCK_H

#include <linux/bits.h>
#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include "arch/cycles.h"

#define FLT_CLOCK_SHIFT 22
/*
 * Maximum age, in ns, of a date that another date is computed from. CLOCK_MONOTONIC may be
 * slewed by 500 ppm, so the error is at most 262 ns.
 */
#define FLT_CLOCK_NEAR_NS BIT(19)

/*
 * A fault may end later than its record says, by less than this many ns: the error of a
 * computed date (262 ns), and the truncation of a long latency to units of 1024 ns.
 */
#define FLT_CLOCK_ERROR 2048

DECLARE_STATIC_KEY_FALSE(flt_clock_raw);
extern u64 flt_clock_mult;	/* ns per unit << FLT_CLOCK_SHIFT */
extern u64 flt_clock_near;	/* FLT_CLOCK_NEAR_NS in units */

void flt_clock_init(void);
const char *flt_clock_name(void);

/* Return a raw reading. Only differences of readings have a meaning. */
static __always_inline u64 flt_clock_read(void)
{
	if (static_branch_likely(&flt_clock_raw))
		return flt_cycles_read();
	return ktime_get_mono_fast_ns();
}

/* Return true if flt_clock_read() makes no call. */
static __always_inline bool flt_clock_is_quick(void)
{
	return static_branch_likely(&flt_clock_raw);
}

/* Return true if delta * flt_clock_mult may overflow: after 18 minutes with a 2 GHz TSC. */
static __always_inline bool flt_clock_is_long(u64 delta)
{
	return delta >> FLT_CYCLES_BITS;
}

static __always_inline u64 flt_clock_ns(u64 delta)
{
	if (!static_branch_likely(&flt_clock_raw))
		return delta;
	if (unlikely(flt_clock_is_long(delta)))
		return mul_u64_u64_shr(delta, flt_clock_mult, FLT_CLOCK_SHIFT);
	return delta * flt_clock_mult >> FLT_CLOCK_SHIFT;
}

/*
 * Set @ns to the time since @start and return true, if that takes no call. Return false for
 * long times, which include negative ones.
 */
static __always_inline bool flt_clock_ns_quick(u64 start, u64 *ns)
{
	u64 delta;

	if (!static_branch_likely(&flt_clock_raw))
		return false;
	delta = flt_cycles_read() - start;
	*ns = delta * flt_clock_mult >> FLT_CLOCK_SHIFT;
	return !flt_clock_is_long(delta);
}

/* A reading, and the date (CLOCK_MONOTONIC ns) at which it was taken. */
struct flt_clock_mark {
	u64 reading, ns;
};

DECLARE_PER_CPU(struct flt_clock_mark, flt_clock_mark);

/* Return CLOCK_MONOTONIC at @reading, and update the mark of this CPU. */
u64 flt_clock_date_anew(u64 reading);

/*
 * Compute CLOCK_MONOTONIC at @reading from the mark of this CPU. Return false if there is
 * no recent mark. Makes no calls. Preemption must be off.
 */
static __always_inline bool flt_clock_date_quick(u64 reading, u64 *date)
{
	u64 since = reading - this_cpu_read(flt_clock_mark.reading);

	*date = this_cpu_read(flt_clock_mark.ns) + (since * flt_clock_mult >> FLT_CLOCK_SHIFT);
	return static_branch_likely(&flt_clock_raw) && likely(since < flt_clock_near);
}

/* Return CLOCK_MONOTONIC at @reading, which was taken on this or another CPU. */
static __always_inline u64 flt_clock_date(u64 reading)
{
	u64 date;

	return flt_clock_date_quick(reading, &date) ? date : flt_clock_date_anew(reading);
}

#endif
