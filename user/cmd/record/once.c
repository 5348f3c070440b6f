// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/once.h"

#include "cmd/record/cgroup.h"
#include "cmd/record/limit.h"

int flt_record_once(struct flt_run *run, const struct flt_record_args *args,
		    struct flt_record_outcome *out)
{
	return args->by_cgroup ? flt_record_by_cgroup(run, args, out) :
				 flt_record_preloaded(run, args, out);
}
