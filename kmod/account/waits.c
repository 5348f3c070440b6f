// SPDX-License-Identifier: GPL-2.0-only
#include "account/delays.h"
#include "account/mmap_lock.h"
#include "account/task.h"
#include "account/waits.h"

static unsigned int users;

int flt_waits_get(void)
{
	int err;

	/* While the hooks were not armed, locks were released that nobody saw. */
	if (!users)
		flt_task_reset_lock_waits();
	err = flt_mmap_lock_get();
	if (err)
		return err;
	users++;
	static_branch_inc(&flt_delays_on);
	return 0;
}

void flt_waits_put(void)
{
	static_branch_dec(&flt_delays_on);
	users--;
	flt_mmap_lock_put();
}
