// SPDX-License-Identifier: GPL-2.0-only
/* TASK_SIZE_MAX (arm64: later than Linux 5.10, which crashes when flt places its probes) */
#include <linux/sched.h>
#include <linux/uaccess.h>

unsigned long test(void)
{
	return TASK_SIZE_MAX;
}
