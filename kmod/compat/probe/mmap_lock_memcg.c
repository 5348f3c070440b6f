// SPDX-License-Identifier: GPL-2.0-only
/* from 6.16 on: the tracepoints of mmap_lock do not have the path of the cgroup */
#include <trace/events/mmap_lock.h>

void probe(void *data, struct mm_struct *mm, bool write);

void test(void)
{
	check_trace_callback_type_mmap_lock_released(probe);
}
