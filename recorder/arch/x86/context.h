/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_CONTEXT_H
#define FLT_REC_X86_CONTEXT_H

#include "arch/x86/registers.h"

#include <stddef.h>
#include <ucontext.h>

#define REC_CONTEXT_OFFSET 0
/* The code of libc has tables. The code of this library does not, but its handlers do not fault. */
#define REC_CONTEXT_CODE 0

#define REC_CONTEXT_AT(reg) offsetof(ucontext_t, uc_mcontext.gregs[reg])
static const uint16_t rec_context_place[REC_SAVED + 2] = {
	REC_CONTEXT_AT(REG_RBX), REC_CONTEXT_AT(REG_RBP), REC_CONTEXT_AT(REG_R12),
	REC_CONTEXT_AT(REG_R13), REC_CONTEXT_AT(REG_R14), REC_CONTEXT_AT(REG_R15),
	REC_CONTEXT_AT(REG_RSP), REC_CONTEXT_AT(REG_RIP),
};

static inline uint64_t *rec_context_ip(void *context)
{
	return (uint64_t *)&((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

#endif
