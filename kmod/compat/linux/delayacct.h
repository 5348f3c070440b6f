/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_DELAYACCT_H
#define FLT_COMPAT_LINUX_DELAYACCT_H

/* The header of the kernel does not include what it uses. */
#include <linux/spinlock.h>
#include <linux/time64.h>
#include_next <linux/delayacct.h>
#include <linux/sched.h>
#include <flt_compat.h>

/* Delays that the kernel does not have are 0. */
#if FLT_HAVE_DELAYS
#define flt_delays_of(task) ((task)->delays)
#define flt_delay(delays, name) READ_ONCE((delays)->name##_delay)
#define flt_delay_queue(task) ((task)->sched_info.run_delay)
#else
struct task_delay_info;
#define flt_delays_of(task) ((struct task_delay_info *)NULL)
#define flt_delay(delays, name) 0
#define flt_delay_queue(task) 0
#endif

#if FLT_HAVE_DELAY_COMPACT
#define flt_delay_compact(delays) flt_delay(delays, compact)
#else
#define flt_delay_compact(delays) 0
#endif

#if FLT_HAVE_DELAY_WPCOPY
#define flt_delay_wpcopy(delays) flt_delay(delays, wpcopy)
#else
#define flt_delay_wpcopy(delays) 0
#endif

#endif
