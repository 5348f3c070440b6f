/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instruction.h - what the instruction that faulted does.
 *
 *   REC_HAS_INLINE	rec_instruction_stores() can tell, so a thread can resolve its own faults
 *
 * rec_instruction_stores() returns true if the instruction at `code` stores to memory.
 */
#ifndef FLT_REC_ARCH_INSTRUCTION_H
#define FLT_REC_ARCH_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __x86_64__
#include "arch/x86/instruction.h"
#else
#include "arch/arm64/instruction.h"
#endif

#endif
