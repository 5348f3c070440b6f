/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_CYCLES_H
#define FLT_REC_X86_CYCLES_H

#include <stdint.h>

static inline uint64_t rec_cycles_read(void)
{
	return __builtin_ia32_rdtsc();
}

/* The exact rate of the clock does not matter. */
static inline uint64_t rec_cycles_spin(void)
{
	return 60000;
}

static inline void rec_cycles_relax(void)
{
	__builtin_ia32_pause();
}

#endif
