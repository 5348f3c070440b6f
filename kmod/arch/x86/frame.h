/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_X86_FRAME_H
#define FLT_X86_FRAME_H

/* Above the user addresses the mask lets only one page pass, where nothing can be mapped. */
static __always_inline unsigned long flt_frame_mask(void)
{
	return (TASK_SIZE_MAX | (PAGE_SIZE - 1)) & -sizeof(u64);
}

static __always_inline bool flt_frame_is_64bit(struct pt_regs *regs)
{
	return user_64bit_mode(regs);
}

static __always_inline bool flt_frame_may_be_none(struct pt_regs *regs, unsigned long address)
{
	return address == regs->ip || regs->sp - address <= sizeof(u64);
}

/*
 * In the prologue and epilogue of a function the frame pointer is that of the caller, and
 * the return address is at the stack pointer or one word above. Stacks that grow fault there.
 */
static __always_inline unsigned long flt_frame_return_slot(struct pt_regs *regs, u64 code,
							   unsigned long mask)
{
	unsigned long sp = regs->sp & mask;

	if ((u32)code == 0xfa1e0ff3)		/* endbr64 */
		code >>= 32;
	if ((code & 0xffffff) == 0xe58948)	/* mov %rsp,%rbp */
		return sp + sizeof(u64);
	return (u32)code == 0xe5894855 ||	/* push %rbp; mov %rsp,%rbp */
	       (u8)code == 0xc3 ? sp : 0;	/* ret */
}

static __always_inline unsigned long flt_frame_return(struct pt_regs *regs, u64 code)
{
	return 0;
}

static __always_inline u64 flt_frame_address(u64 word)
{
	return word;
}

static inline void flt_frame_registers(struct flt_event_registers *to, const struct pt_regs *regs)
{
	to->dwarf[0] = regs->ax;
	to->dwarf[1] = regs->dx;
	to->dwarf[2] = regs->cx;
	to->dwarf[3] = regs->bx;
	to->dwarf[4] = regs->si;
	to->dwarf[5] = regs->di;
	to->dwarf[6] = regs->bp;
	to->dwarf[7] = regs->sp;
	to->dwarf[8] = regs->r8;
	to->dwarf[9] = regs->r9;
	to->dwarf[10] = regs->r10;
	to->dwarf[11] = regs->r11;
	to->dwarf[12] = regs->r12;
	to->dwarf[13] = regs->r13;
	to->dwarf[14] = regs->r14;
	to->dwarf[15] = regs->r15;
	to->dwarf[16] = regs->ip;
}

#endif
