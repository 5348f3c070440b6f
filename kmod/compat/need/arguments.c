// SPDX-License-Identifier: GPL-2.0-only
/* regs_get_kernel_argument() */
#include <linux/ptrace.h>

unsigned long test(struct pt_regs *regs)
{
	return regs_get_kernel_argument(regs, 3);
}
