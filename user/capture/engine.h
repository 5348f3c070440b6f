/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.h - the interface of perf.c and module.c, which observe the faults of a capture. */
#ifndef FLT_CAPTURE_ENGINE_H
#define FLT_CAPTURE_ENGINE_H

#include "capture/members.h"
#include "capture/setup.h"
#include "observe/observe.h"
#include "source/file/file.h"
#include "timeline/timeline.h"

struct capture_engine;

struct capture {
	struct flt_run *run;
	const struct flt_capture_setup *setup;
	int *fd;			/* receives the temporary file */
	struct flt_observe o;
	struct flt_file_writer *writer;
	bool watched;			/* .begin of setup->watch was called */
	bool has_child;			/* a command is recorded, and was executed */
	struct capture_members members;	/* of the cgroup of the setup */
	uint64_t begin;
	struct flt_timeline *timeline;	/* created by the engine */
	/* Faults in the file; the last three are weighted. */
	uint64_t faults, majors;
	uint64_t weight, allocs, refaults;
	uint64_t unfollowed;	/* FLT_LOSS_RIGHTS of the file, once that is closed */
	const struct capture_engine *engine;
	void *own;			/* data of the engine */
};

/* Write a fault with its stack to the file and count both; or count the fault as lost. */
int capture_fault(struct capture *r, struct flt_fault *fault,
		  const struct flt_timeline_stack *stack);

/* All return 0 or -errno, and may set .o.e of struct capture. */
struct capture_engine {
	const char *name;
	bool refaults;		/* knows whether a page was there before */
	/* Arm the engine. The command was forked and is not executed yet. */
	int (*open)(struct capture *r);
	/* Describe the engine in the new file, and create the timeline. */
	int (*begin)(struct capture *r);
	/* Stop observing faults. */
	void (*stop)(struct capture *r);
	/* Write remaining faults and losses to the file. *produced receives the sum of both. */
	int (*end)(struct capture *r, uint64_t *produced);
	/* Free the engine. The file is closed. Called after .open, even if .open failed. */
	void (*close)(struct capture *r);
};

extern const struct capture_engine capture_engine_module, capture_engine_perf;

#endif
