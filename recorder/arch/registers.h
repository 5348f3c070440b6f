/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h - the registers that lead from one frame of a stack to its caller.
 *
 *   struct rec_regs	registers of a thread: ip, sp, and those that functions save for their
 *			callers; REC_SAVED is their number
 *   REC_FP		index of the frame pointer among these
 *   REC_DWARF_SP	numbers of registers in DWARF tables; likewise REC_DWARF_FP, REC_DWARF_IP
 *			and REC_DWARF_RETURN, the column of the return address
 *   REC_COLUMNS	columns of a table of rules: saved registers and return address
 *   REC_RETURN		index of the return address among these
 *   REC_HAS_LINK	the return address is in a register, until the function saves it
 *   rec_offset		a place on the stack, relative to the CFA; REC_OFFSET_MIN, REC_OFFSET_MAX
 *
 *   rec_registers_column()	the column of a register with a DWARF number, or -1
 *   rec_registers_link()	the address in the register of REC_HAS_LINK
 *   rec_registers_return()	a return address that was read from the stack, without a signature
 */
#ifndef FLT_REC_ARCH_REGISTERS_H
#define FLT_REC_ARCH_REGISTERS_H

#ifdef __x86_64__
#include "arch/x86/registers.h"
#else
#include "arch/arm64/registers.h"
#endif

#endif
