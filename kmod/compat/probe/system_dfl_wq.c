// SPDX-License-Identifier: GPL-2.0-only
/* since 6.17: the new name of system_unbound_wq */
#include <linux/workqueue.h>

struct workqueue_struct *test(void)
{
	return system_dfl_wq;
}
