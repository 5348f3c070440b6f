/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - a recording without a limit, by whatever sees the faults.
 *
 *   run.c     the command, the file, the clock, the summary
 *   perf.c    perf's page-fault events
 *   module.c  the module's stream
 */
#ifndef FLT_CMD_RECORD_RUN_H
#define FLT_CMD_RECORD_RUN_H

#include "cmd/record/record.h"
#include "observe/observe.h"
#include "source/file/file.h"

struct record_engine;

struct record_run {
	struct flt_run *run;
	const struct flt_record_args *args;
	struct flt_observe o;
	struct flt_file_writer *writer;
	bool has_child;			/* a command is recorded, and could be executed */
	uint64_t begin;
	uint64_t faults, majors;	/* in the file, the engine's to count */
	const struct record_engine *engine;
	void *own;			/* the engine's */
};

/* All return 0 or -errno, with the reason in e where there is more to say. */
struct record_engine {
	const char *name;
	/* What is to be seen is fixed; the command, if there is one, has not begun. */
	int (*open)(struct record_run *r);
	/* The file is there: what it says of the engine, and what runs already. */
	int (*begin)(struct record_run *r);
	/* Once a second. */
	int (*stats)(struct record_run *r, uint64_t now);
	/* No more faults from now on: the reading may go on. */
	void (*stop)(struct record_run *r);
	/* All that is left goes to the file, and all that is lost; produced: both. */
	int (*end)(struct record_run *r, uint64_t *produced);
	/* The writer is gone by then, and none of the above need have been called. */
	void (*close)(struct record_run *r);
};

extern const struct record_engine record_engine_module, record_engine_perf;

#endif
