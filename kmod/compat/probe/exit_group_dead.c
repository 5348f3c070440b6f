// SPDX-License-Identifier: GPL-2.0-only
/* since 6.16: sched_process_exit has a third argument, and comes before exit_mm() */
#include <trace/events/sched.h>

void probe(void *data, struct task_struct *task, bool group_dead);

void test(void)
{
	check_trace_callback_type_sched_process_exit(probe);
}
