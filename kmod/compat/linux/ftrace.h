/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_FTRACE_H
#define FLT_COMPAT_LINUX_FTRACE_H

#include_next <linux/ftrace.h>
#include <flt_compat.h>

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* Since 6.2. */
#if !FLT_HAVE_FTRACE_ARGUMENT
#define ftrace_regs_get_argument(fregs, n) regs_get_kernel_argument(&(fregs)->regs, n)
#endif
#endif

#endif
