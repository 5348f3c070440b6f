/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FLT_FTRACE_CALLS is 1 if ftrace can call a function with the arguments of the traced one. The ops
 * need FLT_FTRACE_FLAGS. Build with -DFLT_FTRACE_CALLS=0 to try a kernel where it cannot.
 */
#ifndef FLT_COMPAT_LINUX_FTRACE_H
#define FLT_COMPAT_LINUX_FTRACE_H

#include_next <linux/ftrace.h>
#include <flt_compat.h>

#ifdef FLT_FTRACE_CALLS
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define FLT_FTRACE_CALLS 1
#define FLT_FTRACE_FLAGS 0
/* Since 6.2. */
#if !FLT_HAVE_FTRACE_ARGUMENT
#define ftrace_regs_get_argument(fregs, n) regs_get_kernel_argument(&(fregs)->regs, n)
#endif
#elif FLT_HAVE_FTRACE_PT_REGS && defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
/* Before 5.11 there is no struct ftrace_regs. */
#define FLT_FTRACE_CALLS 1
#define FLT_FTRACE_FLAGS FTRACE_OPS_FL_SAVE_REGS
#define ftrace_regs pt_regs
#define ftrace_regs_get_argument(regs, n) regs_get_kernel_argument(regs, n)
/* Not exported. An empty filter takes no memory. */
#define ftrace_free_filter(ops) ftrace_set_filter(ops, NULL, 0, 1)
#else
#define FLT_FTRACE_CALLS 0
#endif

#endif
