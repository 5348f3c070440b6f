// SPDX-License-Identifier: GPL-2.0-only
/* for_each_kernel_tracepoint() */
#include <linux/tracepoint.h>

int test(void (*function)(struct tracepoint *, void *), struct tracepoint *tp, void *probe)
{
	for_each_kernel_tracepoint(function, NULL);
	return tracepoint_probe_register(tp, probe, NULL);
}
