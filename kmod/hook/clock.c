// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>
#include <linux/minmax.h>
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

/*
 * Read both clocks. A hypervisor may stop the CPU between the two reads, which would shift all
 * dates that are computed from the mark. So the mark is the best of several tries.
 */
static struct flt_clock_mark read_both_clocks(void)
{
	struct flt_clock_mark mark = { 0 };
	u64 least = U64_MAX;
	unsigned long flags;
	int try;

	local_irq_save(flags);
	for (try = 0; try < 3; try++) {
		u64 before = flt_clock_read();
		u64 ns = ktime_get_mono_fast_ns();
		u64 gap = flt_clock_read() - before;

		if (gap < least) {
			least = gap;
			mark.reading = before;
			mark.ns = ns;
		}
	}
	local_irq_restore(flags);
	return mark;
}

u64 flt_clock_date_anew(u64 reading)
{
	struct flt_clock_mark mark;

	if (!static_key_enabled(&flt_clock_raw))
		return reading;
	mark = read_both_clocks();
	this_cpu_write(flt_clock_mark.reading, mark.reading);
	this_cpu_write(flt_clock_mark.ns, mark.ns);
	/* The counter of another CPU may be ahead of this one. */
	return mark.ns - flt_clock_ns(max_t(s64, mark.reading - reading, 0));
}

const char *flt_clock_name(void)
{
	return static_key_enabled(&flt_clock_raw) ? FLT_CYCLES_NAME : "monotonic";
}
