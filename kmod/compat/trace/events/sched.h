/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard, because trace headers are included more than once. */
#include_next <trace/events/sched.h>
#include <flt_compat.h>

/* Since 6.16 sched_process_exit has one more argument, and comes before exit_mm(). */
#undef FLT_EXIT_PROBE
#if FLT_HAVE_EXIT_GROUP_DEAD
#define FLT_EXIT_PROBE(name) void name(void *data, struct task_struct *task, bool group_dead)
#else
#define FLT_EXIT_PROBE(name) void name(void *data, struct task_struct *task)
#endif
