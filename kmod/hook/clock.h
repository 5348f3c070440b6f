/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock - what latencies are measured with.
 *
 * A fault reads the clock twice, and ktime_get_ns() there costs a sixth of the
 * whole account. Where the kernel itself trusts the TSC the raw counter is read
 * instead and only the difference is scaled. Raw readings never leave the
 * module: what has a date on it has that of ktime_get_ns(), or one told from it.
 */
#ifndef FLT_CLOCK_H
#define FLT_CLOCK_H

#include <linux/bits.h>
#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/types.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#endif

#define FLT_CLOCK_SHIFT 22
/* How long a date is told from an earlier one: CLOCK_MONOTONIC may run 500 ppm off. */
#define FLT_CLOCK_NEAR BIT(19)

DECLARE_STATIC_KEY_FALSE(flt_clock_raw);
extern u64 flt_clock_mult;	/* ns per unit << FLT_CLOCK_SHIFT; below 2^23 */

void flt_clock_init(void);
const char *flt_clock_name(void);

/* A reading in units of its own; good for differences on this boot. */
static __always_inline u64 flt_clock_read(void)
{
#ifdef CONFIG_X86
	if (static_branch_likely(&flt_clock_raw))
		return rdtsc();
#endif
	return ktime_get_mono_fast_ns();
}

/* Past a quarter of an hour at least, one multiplication no longer holds the product. */
static __always_inline bool flt_clock_is_long(u64 delta)
{
	return delta >> 41;
}

static __always_inline u64 flt_clock_ns(u64 delta)
{
	if (!static_branch_likely(&flt_clock_raw))
		return delta;
	if (unlikely(flt_clock_is_long(delta)))
		return mul_u64_u64_shr(delta, flt_clock_mult, FLT_CLOCK_SHIFT);
	return delta * flt_clock_mult >> FLT_CLOCK_SHIFT;
}

/* Nanoseconds from @start to now if they can be had without a call; below 0 is long. */
static __always_inline bool flt_clock_ns_quick(u64 start, u64 *ns)
{
#ifdef CONFIG_X86
	u64 delta;

	if (!static_branch_likely(&flt_clock_raw))
		return false;
	delta = rdtsc() - start;
	*ns = delta * flt_clock_mult >> FLT_CLOCK_SHIFT;
	return !flt_clock_is_long(delta);
#else
	return false;
#endif
}

/* A reading and its date. */
struct flt_clock_mark {
	u64 reading, ns;
};

DECLARE_PER_CPU(struct flt_clock_mark, flt_clock_mark);

/* The date @ago nanoseconds ago; and leaves a mark for what follows. */
u64 flt_clock_date_anew(u64 ago);

/* CLOCK_MONOTONIC at @reading if it can be had without a call. Preemption off. */
static __always_inline bool flt_clock_date_quick(u64 reading, u64 *date)
{
	u64 since = reading - this_cpu_read(flt_clock_mark.reading);

	*date = this_cpu_read(flt_clock_mark.ns) + (since * flt_clock_mult >> FLT_CLOCK_SHIFT);
	return static_branch_likely(&flt_clock_raw) && likely(since < FLT_CLOCK_NEAR);
}

/* The same at @reading, which was @ago nanoseconds ago. */
static __always_inline u64 flt_clock_date(u64 reading, u64 ago)
{
	u64 date;

	return flt_clock_date_quick(reading, &date) ? date : flt_clock_date_anew(ago);
}

#endif
