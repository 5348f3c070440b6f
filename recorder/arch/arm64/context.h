/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_CONTEXT_H
#define FLT_REC_ARM64_CONTEXT_H

#include "arch/arm64/registers.h"

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#define REC_CONTEXT_OFFSET sizeof(siginfo_t)
/* mov x8, #139; svc #0. The code in the vDSO has no tables since Linux 5.8. */
#define REC_CONTEXT_CODE 0xd4000001d2801168ULL

#define REC_CONTEXT_AT(n) offsetof(ucontext_t, uc_mcontext.regs[n])
static const uint16_t rec_context_place[REC_SAVED + 2] = {
	REC_CONTEXT_AT(19), REC_CONTEXT_AT(20), REC_CONTEXT_AT(21), REC_CONTEXT_AT(22),
	REC_CONTEXT_AT(23), REC_CONTEXT_AT(24), REC_CONTEXT_AT(25), REC_CONTEXT_AT(26),
	REC_CONTEXT_AT(27), REC_CONTEXT_AT(28), REC_CONTEXT_AT(29), REC_CONTEXT_AT(30),
	offsetof(ucontext_t, uc_mcontext.sp), offsetof(ucontext_t, uc_mcontext.pc),
};

static inline uint64_t *rec_context_ip(void *context)
{
	return (uint64_t *)&((ucontext_t *)context)->uc_mcontext.pc;
}

#endif
