/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_X86_CYCLES_H
#define FLT_X86_CYCLES_H

#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/tsc.h>
#include <linux/types.h>

#define FLT_CYCLES_NAME "tsc"
#define FLT_CYCLES_BITS 41

static __always_inline u64 flt_cycles_read(void)
{
	return rdtsc();
}

/*
 * The kernel marks the TSC unstable if it stops in idle states, differs between CPUs or
 * drifts. A TSC that is marked unstable later stays in use: differences on one CPU are still
 * right, and a negative difference is set to 0 and counted (clock_back).
 */
static inline u64 flt_cycles_hz(void *(*find)(const char *symbol))
{
	return boot_cpu_has(X86_FEATURE_TSC) && !check_tsc_unstable() ? tsc_khz * 1000ull : 0;
}

#endif
