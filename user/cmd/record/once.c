// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/once.h"

#include <limits.h>

#include "cmd/record/cgroup.h"
#include "cmd/record/limit.h"
#include "limit/group.h"

int flt_record_may(const struct flt_run *run, const struct flt_record_args *args)
{
	char library[PATH_MAX];
	struct flt_errmsg e = { "" };
	int err = args->by_cgroup ? flt_group_may(&e) :
				    flt_record_preload_may(run, args, library, &e);

	return err ? flt_command_fail(run->command, &e, err) : FLT_EXIT_DONE;
}

int flt_record_once(struct flt_run *run, const struct flt_record_args *args,
		    struct flt_record_outcome *out)
{
	return args->by_cgroup ? flt_record_by_cgroup(run, args, out) :
				 flt_record_preloaded(run, args, out);
}
