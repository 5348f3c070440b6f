// SPDX-License-Identifier: GPL-2.0-only
/* ftrace_regs_get_argument(), a macro or a function */
#include <linux/ftrace.h>

unsigned long test(struct ftrace_regs *regs)
{
	return ftrace_regs_get_argument(regs, 2);
}
