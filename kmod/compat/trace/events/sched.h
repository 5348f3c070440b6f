/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard, because trace headers are included more than once. */
#include_next <trace/events/sched.h>
#include <linux/version.h>

/* Since 6.16 sched_process_exit has one more argument, and comes before exit_mm(). */
#undef FLT_EXIT_PROBE
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define FLT_EXIT_PROBE(name) void name(void *data, struct task_struct *task)
#else
#define FLT_EXIT_PROBE(name) void name(void *data, struct task_struct *task, bool group_dead)
#endif
