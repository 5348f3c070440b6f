/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_REGISTERS_H
#define FLT_REC_X86_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#define REC_SAVED 6	/* rbx rbp r12 r13 r14 r15 */
#define REC_FP 1
#define REC_RETURN REC_SAVED
#define REC_COLUMNS (REC_SAVED + 1)
#define REC_HAS_LINK false

#define REC_DWARF_FP 6
#define REC_DWARF_SP 7
#define REC_DWARF_IP 16
#define REC_DWARF_RETURN 16

/* Registers are saved near the CFA, above the variables of a function. */
typedef int16_t rec_offset;
#define REC_OFFSET_MIN INT16_MIN
#define REC_OFFSET_MAX INT16_MAX

struct rec_regs {
	uint64_t ip, sp, saved[REC_SAVED];
};

static inline int rec_registers_column(uint64_t dwarf)
{
	switch (dwarf) {
	case 3: return 0;
	case 6: return 1;
	case 12: case 13: case 14: case 15: return (int)dwarf - 10;
	case 16: return REC_RETURN;
	default: return -1;	/* not tracked, although stack realignment uses r10 */
	}
}

static inline uint64_t rec_registers_link(const struct rec_regs *g)
{
	(void)g;
	return 0;
}

static inline uint64_t rec_registers_return(uint64_t word)
{
	return word;
}

#endif
