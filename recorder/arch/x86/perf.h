/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_PERF_H
#define FLT_REC_X86_PERF_H

#include "arch/x86/registers.h"

/* bx, bp, sp, ip, r12-r15 */
#define REC_PERF_MASK ((1ULL << 1) | (1ULL << 6) | (1ULL << 7) | (1ULL << 8) | (0xfULL << 20))
#define REC_PERF_REGS 8

static inline struct rec_regs rec_perf_registers(const uint64_t value[REC_PERF_REGS])
{
	return (struct rec_regs){
		.ip = value[3], .sp = value[2],
		.saved = { value[0], value[1], value[4], value[5], value[6], value[7] },
	};
}

#endif
