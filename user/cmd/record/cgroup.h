/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup.h - `fltctl record -L --engine=cgroup`: memory limited by the kernel's own means. */
#ifndef FLT_CMD_RECORD_CGROUP_H
#define FLT_CMD_RECORD_CGROUP_H

#include "capture/setup.h"
#include "cmd/record/args.h"
#include "cmd/record/outcome.h"
#include "limit/group.h"

/* Run the command once, or record --cgroup DIR, and undo all changes. Return the exit status. */
int flt_record_by_cgroup(struct flt_run *run, const struct flt_record_args *args,
			 struct flt_record_outcome *out);

/*
 * Print the summary. usage: at the end; most: when most memory was charged; device: the swap
 * device that was created, or "".
 */
struct flt_record_cgroup_result {
	struct flt_capture_result faults;
	bool sampled;
	struct flt_group_usage usage, most;
	const char *device;
	uint64_t limit;
};

/* existed: the cgroup is that of --cgroup. */
void flt_record_cgroup_summary(const struct flt_record_cgroup_result *result, bool existed);

#endif
