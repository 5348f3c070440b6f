/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_PERF_H
#define FLT_REC_ARM64_PERF_H

#include "arch/arm64/registers.h"

#include <string.h>

/* x19-x30, sp, pc */
#define REC_PERF_MASK (0x3fffULL << 19)
#define REC_PERF_REGS (REC_SAVED + 2)

static inline struct rec_regs rec_perf_registers(const uint64_t value[REC_PERF_REGS])
{
	struct rec_regs g = { .ip = value[REC_SAVED + 1], .sp = value[REC_SAVED] };

	memcpy(g.saved, value, sizeof(g.saved));
	return g;
}

#endif
