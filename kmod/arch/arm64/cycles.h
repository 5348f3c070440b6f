/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_ARM64_CYCLES_H
#define FLT_ARM64_CYCLES_H

#include <clocksource/arm_arch_timer.h>
#include <linux/types.h>

#define FLT_CYCLES_NAME "cntvct"
#define FLT_CYCLES_BITS 34

/* The pointer leads to a workaround on processors whose counter has errors. */
static __always_inline u64 flt_cycles_read(void)
{
	return arch_timer_read_counter();
}

/* CNTFRQ_EL0 is what firmware wrote there. The device tree may correct this value. */
static inline u64 flt_cycles_hz(void *(*find)(const char *symbol))
{
	u32 (*rate)(void);

	rate = find("arch_timer_get_rate");
	return rate ? rate() : 0;
}

#endif
