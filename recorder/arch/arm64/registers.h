/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_REGISTERS_H
#define FLT_REC_ARM64_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#define REC_SAVED 12	/* x19..x30 */
#define REC_FP 10
#define REC_RETURN 11
#define REC_COLUMNS REC_SAVED
#define REC_HAS_LINK true

#define REC_DWARF_FP 29
#define REC_DWARF_SP 31
#define REC_DWARF_IP 32
#define REC_DWARF_RETURN 30

/* Registers are saved below the variables of a function, which may be large. */
typedef int32_t rec_offset;
#define REC_OFFSET_MIN INT32_MIN
#define REC_OFFSET_MAX INT32_MAX

struct rec_regs {
	uint64_t ip, sp, saved[REC_SAVED];
};

static inline int rec_registers_column(uint64_t dwarf)
{
	return dwarf >= 19 && dwarf <= 30 ? (int)dwarf - 19 : -1;
}

/*
 * Functions may sign the return address that they save. The instruction removes the signature, if
 * there is one, and does nothing on processors without signatures.
 */
static inline uint64_t rec_registers_return(uint64_t word)
{
	register uint64_t x30 __asm__("x30") = word;

	__asm__("hint #7" : "+r"(x30));		/* xpaclri */
	return x30;
}

static inline uint64_t rec_registers_link(const struct rec_regs *g)
{
	return rec_registers_return(g->saved[REC_RETURN]);
}

#endif
