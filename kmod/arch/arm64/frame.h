/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A call puts the return address into x30, and the prologue saves the register. A leaf function
 * without a frame keeps the address there until it returns, but nothing distinguishes such a
 * function from others, so its caller is missing from stacks of frame pointers.
 */
#ifndef FLT_ARM64_FRAME_H
#define FLT_ARM64_FRAME_H

#include <asm/compat.h>
#include <asm/processor.h>

/* A prologue may save registers up to 512 bytes below the stack pointer (stp, pre-index). */
#define FLT_FRAME_PUSH 512

static __always_inline unsigned long flt_frame_mask(void)
{
	return (TASK_SIZE_MAX - 1) & -sizeof(u64);
}

static __always_inline bool flt_frame_is_64bit(struct pt_regs *regs)
{
	return !compat_user_mode(regs);
}

static __always_inline bool flt_frame_may_be_none(struct pt_regs *regs, unsigned long address)
{
	return address == regs->pc || regs->sp - address <= FLT_FRAME_PUSH;
}

static __always_inline unsigned long flt_frame_return_slot(struct pt_regs *regs, u64 code,
							   unsigned long mask)
{
	return 0;
}

static __always_inline u64 flt_frame_address(u64 word)
{
	/* A signature (PAC) is in the bits above those of user addresses. */
	return word & (TASK_SIZE_64 - 1);
}

static __always_inline unsigned long flt_frame_return(struct pt_regs *regs, u64 code)
{
	u32 first = code, second = code >> 32;

	if (first == 0xd503245f ||		/* bti c */
	    first == 0xd503233f)		/* paciasp */
		first = second;
	return (first & 0xffc07fff) == 0xa9807bfd || /* stp x29, x30, [sp, #-N]! */
	       first == 0xd503233f || first == 0xd65f03c0 /* ret */ ?
	       flt_frame_address(regs->regs[30]) : 0;
}

static inline void flt_frame_registers(struct flt_event_registers *to, const struct pt_regs *regs)
{
	memcpy(to->dwarf, regs->regs, sizeof(regs->regs));
	to->dwarf[31] = regs->sp;
	to->dwarf[32] = regs->pc;
}

#endif
