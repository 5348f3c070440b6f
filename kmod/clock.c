// SPDX-License-Identifier: GPL-2.0-only
#include <linux/clocksource.h>
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#include <asm/tsc.h>
#endif
#include "clock.h"

DEFINE_STATIC_KEY_FALSE(flt_clock_raw);
u32 flt_clock_mult __ro_after_init;
u32 flt_clock_shift __ro_after_init;

/*
 * The kernel marks the TSC unstable where it stops in idle, is not synchronous
 * between CPUs, or was caught drifting. One that is marked later is still used:
 * differences on one CPU stay right, and one that comes out negative is cut to
 * zero and counted (clock_back).
 */
void __init flt_clock_init(void)
{
#ifdef CONFIG_X86
	if (!boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz || check_tsc_unstable())
		return;
	clocks_calc_mult_shift(&flt_clock_mult, &flt_clock_shift, tsc_khz,
			       NSEC_PER_MSEC, 0);
	static_branch_enable(&flt_clock_raw);
#endif
}

const char *flt_clock_name(void)
{
	return static_key_enabled(&flt_clock_raw) ? "tsc" : "monotonic";
}
