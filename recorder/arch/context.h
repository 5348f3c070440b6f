/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h - the registers of a thread in the ucontext_t that the kernel makes for a signal
 * handler.
 *
 *   rec_context_place	offsets of the saved registers, as in struct rec_regs, then of sp and ip
 *   REC_CONTEXT_OFFSET	where the ucontext_t is, above the stack pointer, after the handler
 *   REC_CONTEXT_CODE	instructions after the handler, which return from it; 0: they have unwind
 *			tables
 *
 * rec_context_ip() returns a pointer to the instruction pointer.
 */
#ifndef FLT_REC_ARCH_CONTEXT_H
#define FLT_REC_ARCH_CONTEXT_H

#include "arch/registers.h"

#include <string.h>

#ifdef __x86_64__
#include "arch/x86/context.h"
#else
#include "arch/arm64/context.h"
#endif

static inline struct rec_regs rec_context_registers(const void *context)
{
	const char *at = context;
	struct rec_regs g;

	for (int i = 0; i < REC_SAVED; i++)
		memcpy(&g.saved[i], at + rec_context_place[i], sizeof(g.saved[i]));
	memcpy(&g.sp, at + rec_context_place[REC_SAVED], sizeof(g.sp));
	memcpy(&g.ip, at + rec_context_place[REC_SAVED + 1], sizeof(g.ip));
	return g;
}

#endif
