// SPDX-License-Identifier: GPL-2.0-only
/* until 6.15: the tracepoints of mmap_lock have the path of the cgroup */
#include <trace/events/mmap_lock.h>

void probe(void *data, struct mm_struct *mm, const char *path, bool write);

void test(void)
{
	check_trace_callback_type_mmap_lock_released(probe);
}
