/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.h - the parameters of a capture. */
#ifndef FLT_CAPTURE_SETUP_H
#define FLT_CAPTURE_SETUP_H

#include "cli/command.h"
#include "observe/child.h"
#include "observe/loop.h"
#include "source/file/file.h"
#include "timeline/unwind_by.h"

enum flt_capture_engine { FLT_CAPTURE_AUTO = 0, FLT_CAPTURE_MODULE, FLT_CAPTURE_PERF };

/* What a capture counted. Weights of sampled faults are included. */
struct flt_capture_result {
	uint64_t faults, majors, allocs, refaults;
	uint64_t took;		/* ns from the exec to the end of the recording */
	uint64_t lost;		/* faults, stacks and notes that are not in the file */
	uint64_t unfollowed;	/* of these, programs with other rights: each lost all its faults */
	uint64_t missed;	/* processes that entered the cgroup of the setup later */
	const char *engine;	/* "module" or "perf" */
};

/* A limit that the command runs under. All callbacks may block for a moment, none may fail. */
struct flt_capture_limit {
	/*
	 * Called 20 times per second. Return true while processes that are limited run: the
	 * capture ends after the command and the last of them.
	 */
	bool (*poll)(void *arg);
	/* Fill the fields of a sample that only the limit knows. Called every second. */
	void (*sample)(void *arg, struct flt_record_stats *stats);
	/* Describe the limit in the new file. */
	void (*describe)(void *arg, struct flt_file_writer *file);
	/* Report, in place of the usual line. Not called if the command could not be executed. */
	void (*report)(void *arg, const struct flt_capture_result *result);
	void *arg;
};

/* Events that the caller observes while the capture runs. .arm and .signal may fail. */
struct flt_capture_watch {
	/* Called before the command is executed, to add descriptors to the loop. Or NULL. */
	int (*arm)(void *arg, struct flt_loop *loop);
	/*
	 * Faults are observed from now on. child: the command, which was not executed yet, or
	 * NULL. The sentence for an error goes into e. Or NULL.
	 */
	int (*begin)(void *arg, struct flt_loop *loop, struct flt_child *child,
		     struct flt_errmsg *e);
	/* The loop ended. Processes may run on. Called only after begin(). Or NULL. */
	void (*end)(void *arg);
	uint64_t signals;	/* bits of FLT_OBSERVE_SIGNAL(), for signal() */
	int (*signal)(void *arg, const struct signalfd_siginfo *info);
	/* The loop ends after an error, and the command runs on. */
	void (*abandon)(void *arg);
	void *arg;
};

struct flt_capture_setup {
	/* Record these processes, or all, or else the command of struct flt_run. */
	struct flt_ids pids;
	bool all;
	const char *cgroup;	/* the directory that has these processes, or NULL */
	uint64_t duration;	/* ns; 0: until the processes end */
	enum flt_capture_engine engine;
	bool no_stack;
	enum flt_unwind_by unwind;
	uint64_t max_stack;
	uint64_t subbuf_size, subbufs;	/* of the module's stream; 0: not given */
	const char *output;	/* NULL: a temporary file */
	bool quiet;		/* no progress and no summary */
	bool explain;		/* say that perf events are used because the module is missing */
	/* Called in the child before exec, as in struct flt_child_setup. May be NULL. */
	int (*prepare)(void *arg);
	void *prepare_arg;
	const struct flt_capture_limit *limit;	/* or NULL */
	const struct flt_capture_watch *watch;	/* or NULL */
};

#endif
