/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.h - the registers of a thread and a copy of its stack. */
#ifndef FLT_UNWIND_SAMPLE_H
#define FLT_UNWIND_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Number of registers, in DWARF's numbering, with the instruction pointer as the last one. */
#ifdef __aarch64__
#define FLT_UNWIND_REGS 33	/* x0 to x30, sp, pc */
#define FLT_UNWIND_SP 31
#define FLT_UNWIND_IP 32
#define FLT_UNWIND_LINK 30	/* the return address of a function that calls none */
#else
#define FLT_UNWIND_REGS 17
#define FLT_UNWIND_SP 7
#define FLT_UNWIND_IP 16
#endif

/*
 * Return a word without the signature that it has if it is a signed return address. On arm64 the
 * signature (PAC) is between the bits of user addresses and bit 55. The libraries remove it only if
 * a process is traced. Other words with such bits are no addresses, and nothing is unwound by them.
 */
static inline uint64_t flt_unwind_unsigned(uint64_t word)
{
#ifdef __aarch64__
	/* Stacks are at the end of the user addresses, of which kernels have 39 to 48 bits. */
	const int unused = __builtin_clzl((uintptr_t)__builtin_frame_address(0));

	if (!(word >> 55))
		return word & ~0ull >> unused;
#endif
	return word;
}

/* A thread at one instruction. */
struct flt_unwind_sample {
	uint64_t regs[FLT_UNWIND_REGS];
	const void *stack;	/* a copy, from the stack pointer up */
	size_t size;
};

#endif
