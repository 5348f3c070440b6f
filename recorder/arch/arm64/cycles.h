/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_CYCLES_H
#define FLT_REC_ARM64_CYCLES_H

#include <stdint.h>

static inline uint64_t rec_cycles_read(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
}

/* Machines count at 25 MHz to 1 GHz. */
static inline uint64_t rec_cycles_spin(void)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz / 50000;
}

/* Not yield, which takes no time on most processors. */
static inline void rec_cycles_relax(void)
{
	__asm__ volatile("isb" ::: "memory");
}

#endif
