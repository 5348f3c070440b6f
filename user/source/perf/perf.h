/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h - count minor and major faults of a command by perf's software events.
 *
 * The counts include children and are exact at any moment. They exclude faults without registers,
 * which the kernel takes for the command (get_user_pages: the arguments of an exec,
 * process_vm_readv), and all faults in kernel mode if kernel.perf_event_paranoid forbids them.
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

/* Count faults of pid, and of the children that it forks from now on. */
int flt_perf_open(struct flt_perf *perf, pid_t pid, struct flt_errmsg *e);
void flt_perf_close(struct flt_perf *perf);
int flt_perf_read(const struct flt_perf *perf, uint64_t *minor, uint64_t *major);

#endif
