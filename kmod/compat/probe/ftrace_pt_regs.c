// SPDX-License-Identifier: GPL-2.0-only
/* before 5.11: callbacks of ftrace get struct pt_regs */
#include <linux/ftrace.h>

static void called(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		   struct pt_regs *regs)
{
}

ftrace_func_t test = called;
