/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - record the faults of running processes or of a command into a trace file,
 * by the module's stream or by perf's events.
 */
#ifndef FLT_CAPTURE_H
#define FLT_CAPTURE_H

#include "capture/setup.h"

/*
 * Record as the setup says. Return the exit status. Without .output, *fd receives a temporary
 * file, which the caller closes, or -1. fd may be NULL if .output is set.
 */
int flt_capture(struct flt_run *run, const struct flt_capture_setup *setup, int *fd);

/* The option that limits a recording made now; `member` is a uint64_t. */
#define FLT_CAPTURE_FOR_OPT(args, member)						\
	{ .name = "for", .type = FLT_OPT_DURATION, .offset = offsetof(args, member),	\
	  .arg = "TIME", .help = "Record the processes of -p now, for this long, e.g. 10s." }

/* The input of a command: a recording, or the faults of a command or of a duration from now. */
struct flt_capture_input {
	const char *file;		/* --input; NULL: not given */
	const struct flt_ids *pids;
	uint64_t duration;		/* ns; 0: not given */
	/* Show the recording at path. Return the exit status. */
	int (*show)(void *arg, const char *path);
	void *arg;
};

/*
 * Show the recording, or record the command of run or the processes into a temporary file and
 * show that. Return the exit status: of the command first, then that of show().
 */
int flt_capture_show(struct flt_run *run, const struct flt_capture_input *input);

#endif
