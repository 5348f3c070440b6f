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

#endif
