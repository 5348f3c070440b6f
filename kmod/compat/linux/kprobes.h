/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_KPROBES_H
#define FLT_COMPAT_LINUX_KPROBES_H

#include_next <linux/kprobes.h>
#include <linux/cpumask.h>
#include <flt_compat.h>

/* Bytes of pointers to one return instance. Since 6.7 each CPU has a ring of all pointers. */
#if FLT_HAVE_OBJPOOL
#define FLT_INSTANCE_POINTERS (num_possible_cpus() * sizeof(void *))
#else
#define FLT_INSTANCE_POINTERS 0
#endif

/*
 * Before 5.14 (until "kprobes: Remove kprobe::fault_handler") a page fault in a handler counts as a
 * missed call of its probe, see kprobe_fault_handler() of the kernel. Handlers that read user
 * memory may take such faults.
 */
typedef int (*flt_kprobe_fault_fn)(struct kprobe *kp, struct pt_regs *regs, int trap);
#if FLT_HAVE_KPROBE_FAULT_HANDLER
#define flt_kprobe_on_fault(kp, fn) ((kp)->fault_handler = (fn))
#else
#define flt_kprobe_on_fault(kp, fn) ((void)(kp), (void)(fn))
#endif

#endif
