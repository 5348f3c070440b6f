// SPDX-License-Identifier: GPL-2.0-only
/* since 5.18: kernels whose preemption is chosen at boot say which one it is */
#include <linux/preempt.h>
#include <linux/sched.h>

bool test(void)
{
	return preempt_model_none() || preempt_model_voluntary();
}
