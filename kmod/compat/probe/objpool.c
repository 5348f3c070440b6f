// SPDX-License-Identifier: GPL-2.0-only
/* since 6.7: each CPU has a ring of pointers to all instances of a kretprobe */
#include <linux/kprobes.h>

unsigned int test(struct objpool_head *head)
{
	return head->nr_objs;
}
