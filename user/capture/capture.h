/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - record the faults of running processes or of a command into a trace file,
 * by the module's stream or by perf's events.
 */
#ifndef FLT_CAPTURE_H
#define FLT_CAPTURE_H

#include "capture/setup.h"

/* Return the exit status. *fd, which may be NULL with an output, gets the file without a name. */
int flt_capture(struct flt_run *run, const struct flt_capture_setup *setup, int *fd);

/* Faults recorded to be looked at right away. path[0] is 0 if there is nothing to look at. */
struct flt_captured {
	int fd;
	char path[32];
};

/* Are faults to be recorded now, instead of read from a recording? */
bool flt_capture_wanted(const struct flt_run *run, uint64_t duration);
/* Return FLT_EXIT_DONE, or report what does not go together. has_file: a recording was named. */
int flt_capture_check(const struct flt_run *run, const struct flt_ids *pids, uint64_t duration,
		      bool has_file);
/* The status of the command comes first, then that of what shows its faults. */
int flt_capture_status(int capture, int shown);
/* Record the command of run or, for a while, these processes. Return the exit status. */
int flt_capture_now(struct flt_run *run, const struct flt_ids *pids, uint64_t duration,
		    struct flt_captured *captured);
void flt_capture_forget(struct flt_captured *captured);

#endif
