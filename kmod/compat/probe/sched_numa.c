// SPDX-License-Identifier: GPL-2.0-only
/* the tracepoints of NUMA balancing that name the threads and the CPUs */
#include <linux/sched.h>
#include <trace/events/sched.h>

static void on_move(void *data, struct task_struct *task, int from, int to)
{
}

static void on_pair(void *data, struct task_struct *task, int from, struct task_struct *other,
		    int to)
{
}

void test(void)
{
	check_trace_callback_type_sched_move_numa(on_move);
	check_trace_callback_type_sched_stick_numa(on_pair);
	check_trace_callback_type_sched_swap_numa(on_pair);
}
