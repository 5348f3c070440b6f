// SPDX-License-Identifier: GPL-2.0-only
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#include <asm/tsc.h>
#endif
#include "clock.h"

DEFINE_STATIC_KEY_FALSE(flt_clock_raw);
u64 flt_clock_mult __ro_after_init;

/* Slower than this and flt_clock_ns() would overflow early. */
#define KHZ_MIN 500000

/*
 * The kernel marks the TSC unstable where it stops in idle, is not synchronous
 * between CPUs, or was caught drifting. One that is marked later is still used:
 * differences on one CPU stay right, and one that comes out negative is cut to
 * zero and counted (clock_back).
 */
void __init flt_clock_init(void)
{
#ifdef CONFIG_X86
	if (!boot_cpu_has(X86_FEATURE_TSC) || tsc_khz < KHZ_MIN || check_tsc_unstable())
		return;
	flt_clock_mult = div_u64((u64)NSEC_PER_MSEC << FLT_CLOCK_SHIFT, tsc_khz);
	static_branch_enable(&flt_clock_raw);
#endif
}

const char *flt_clock_name(void)
{
	return static_key_enabled(&flt_clock_raw) ? "tsc" : "monotonic";
}
