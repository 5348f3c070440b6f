// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>
#include "hook/clock.h"
#include "hook/hook.h"

DEFINE_STATIC_KEY_FALSE(flt_clock_raw);
u64 flt_clock_mult __ro_after_init;
u64 flt_clock_near __ro_after_init;
DEFINE_PER_CPU(struct flt_clock_mark, flt_clock_mark);

/* With a slower counter, flt_clock_mult would be larger and flt_clock_ns() would overflow early. */
#define HZ_MIN ((u64)NSEC_PER_SEC << FLT_CLOCK_SHIFT >> (64 - FLT_CYCLES_BITS))

void __init flt_clock_init(void)
{
	u64 hz = flt_cycles_hz(flt_hook_function);

	if (hz < HZ_MIN)
		return;
	flt_clock_mult = div64_u64((u64)NSEC_PER_SEC << FLT_CLOCK_SHIFT, hz);
	flt_clock_near = div_u64(FLT_CLOCK_NEAR_NS * hz, NSEC_PER_SEC);
	static_branch_enable(&flt_clock_raw);
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
	return static_key_enabled(&flt_clock_raw) ? FLT_CYCLES_NAME : "monotonic";
}
