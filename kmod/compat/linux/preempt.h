/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_PREEMPT_H
#define FLT_COMPAT_LINUX_PREEMPT_H

#include_next <linux/preempt.h>
#include <flt_compat.h>

/* Evaluates to true if the kernel may be preempted in kernel mode. Needs linux/sched.h. */
#if FLT_HAVE_PREEMPT_MODEL
#define flt_is_preemptible() (!preempt_model_none() && !preempt_model_voluntary())
#else
#define flt_is_preemptible() IS_ENABLED(CONFIG_PREEMPTION)
#endif

#endif
