// SPDX-License-Identifier: GPL-2.0-or-later
/* delays.c - switch delay accounting on for --why, and restore the setting. */
#include <errno.h>

#include "cmd/lat/lat.h"
#include "limit/sysctl.h"

#define TASK_DELAYACCT "/proc/sys/kernel/task_delayacct"

int lat_delays_on(struct lat *l, struct flt_errmsg *e)
{
	struct lat_delays *d = &l->delays;
	int ret;

	d->guard.pid = -1;
	ret = flt_journal_new(&d->journal, e);
	/* The guard restores the setting even if fltctl is killed. */
	if (!ret)
		ret = flt_guard_start(&d->guard, d->journal, e);
	if (ret)
		return ret;
	ret = flt_sysctl_set(d->journal, TASK_DELAYACCT, "1", e);
	d->switched = ret > 0;
	/* Before 5.14 there is no setting: it is on, unless booted with nodelayacct. */
	if (ret == -ENOENT)
		*e = (struct flt_errmsg){ "" };
	return ret == -ENOENT || ret > 0 ? 0 : ret;
}

int lat_delays_off(struct lat *l, struct flt_errmsg *e)
{
	struct lat_delays *d = &l->delays;
	int ret = flt_guard_end(&d->guard, e);

	flt_journal_free(d->journal);
	d->journal = NULL;
	return ret;
}
