/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock - what latencies are measured with.
 *
 * A fault reads the clock twice, and ktime_get_ns() there costs a sixth of the
 * whole account. Where the kernel itself trusts the TSC the raw counter is read
 * instead and only the difference is scaled. Raw readings never leave the
 * module: anything with a date on it takes ktime_get_ns().
 */
#ifndef FLT_CLOCK_H
#define FLT_CLOCK_H

#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/types.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#endif

#define FLT_CLOCK_SHIFT 22

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
static __always_inline u64 flt_clock_ns(u64 delta)
{
	if (!static_branch_likely(&flt_clock_raw))
		return delta;
	if (unlikely(delta >> 41))
		return mul_u64_u64_shr(delta, flt_clock_mult, FLT_CLOCK_SHIFT);
	return delta * flt_clock_mult >> FLT_CLOCK_SHIFT;
}

#endif
