/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h - minor and major faults of a command from perf's software events.
 *
 * They follow forks and are right at any moment, but leave out faults that the
 * kernel takes on the command's behalf without registers (get_user_pages: the
 * arguments of an exec, process_vm_readv), and all faults in kernel mode where
 * kernel.perf_event_paranoid forbids them.
 */
#ifndef FLT_SOURCE_PERF_H
#define FLT_SOURCE_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "text/errmsg.h"

struct flt_perf {
	int minor_fd;
	int major_fd;
	bool user_only;
};

/* Counts pid and what it forks from now on. */
int flt_perf_open(struct flt_perf *perf, pid_t pid, struct flt_errmsg *e);
void flt_perf_close(struct flt_perf *perf);
int flt_perf_read(const struct flt_perf *perf, uint64_t *minor, uint64_t *major);

#endif
