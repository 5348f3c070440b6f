// SPDX-License-Identifier: GPL-2.0-only
/* before 5.14: a page fault in a handler of a kprobe counts as a missed call */
#include <linux/kprobes.h>

static int on_fault(struct kprobe *kp, struct pt_regs *regs, int trap)
{
	return 0;
}

void test(struct kprobe *kp)
{
	kp->fault_handler = on_fault;
}
