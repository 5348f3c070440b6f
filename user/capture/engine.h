/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.h - what sees the faults of a capture: perf.c or module.c. */
#ifndef FLT_CAPTURE_ENGINE_H
#define FLT_CAPTURE_ENGINE_H

#include "capture/setup.h"
#include "observe/observe.h"
#include "source/file/file.h"

struct capture_engine;

struct capture {
	struct flt_run *run;
	const struct flt_capture_setup *setup;
	int *fd;			/* of a file without a name */
	struct flt_observe o;
	struct flt_file_writer *writer;
	bool has_child;			/* a command is recorded, and could be executed */
	uint64_t begin;
	uint64_t faults, majors;	/* in the file, the engine's to count */
	const struct capture_engine *engine;
	void *own;			/* the engine's */
};

/* All return 0 or -errno, with the reason in e where there is more to say. */
struct capture_engine {
	const char *name;
	/* What is to be seen is fixed; the command, if there is one, has not begun. */
	int (*open)(struct capture *r);
	/* The file is there: what it says of the engine, and what runs already. */
	int (*begin)(struct capture *r);
	/* Once a second. */
	int (*stats)(struct capture *r, uint64_t now);
	/* No more faults from now on: the reading may go on. */
	void (*stop)(struct capture *r);
	/* All that is left goes to the file, and all that is lost; produced: both. */
	int (*end)(struct capture *r, uint64_t *produced);
	/* The writer is gone by then, and none of the above need have been called. */
	void (*close)(struct capture *r);
};

extern const struct capture_engine capture_engine_module, capture_engine_perf;

#endif
