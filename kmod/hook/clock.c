// SPDX-License-Identifier: GPL-2.0-only
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#include <asm/tsc.h>
#endif
#include <linux/irqflags.h>
#include "hook/clock.h"

DEFINE_STATIC_KEY_FALSE(flt_clock_raw);
u64 flt_clock_mult __ro_after_init;
DEFINE_PER_CPU(struct flt_clock_mark, flt_clock_mark);

/* With a slower TSC, flt_clock_mult would be larger and flt_clock_ns() would overflow early. */
#define KHZ_MIN 500000

/*
 * The kernel marks the TSC unstable if it stops in idle states, differs between CPUs or
 * drifts. A TSC that is marked unstable later stays in use: differences on one CPU are still
 * right, and a negative difference is set to 0 and counted (clock_back).
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

u64 flt_clock_date_anew(u64 ago)
{
	unsigned long flags;
	u64 reading, ns;

	/* An interrupt between the two reads would shift all later dates by its duration. */
	local_irq_save(flags);
	reading = flt_clock_read();
	ns = ktime_get_mono_fast_ns();
	local_irq_restore(flags);
	this_cpu_write(flt_clock_mark.reading, reading);
	this_cpu_write(flt_clock_mark.ns, ns);
	return ns - ago;
}

const char *flt_clock_name(void)
{
	return static_key_enabled(&flt_clock_raw) ? "tsc" : "monotonic";
}
