// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record.h"

#include <errno.h>

int flt_record_perf(struct flt_run *run, const struct flt_record_args *args)
{
	struct flt_errmsg e;

	(void)args;
	return flt_command_fail(run->command, &e,
		flt_errmsg_set(&e, -EOPNOTSUPP, "recording without -L is not supported by this build"));
}
