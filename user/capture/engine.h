/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.h - the interface of perf.c and module.c, which observe the faults of a capture. */
#ifndef FLT_CAPTURE_ENGINE_H
#define FLT_CAPTURE_ENGINE_H

#include "capture/setup.h"
#include "observe/observe.h"
#include "source/file/file.h"

struct capture_engine;

struct capture {
	struct flt_run *run;
	const struct flt_capture_setup *setup;
	int *fd;			/* receives the temporary file */
	struct flt_observe o;
	struct flt_file_writer *writer;
	bool has_child;			/* a command is recorded, and was executed */
	uint64_t begin;
	uint64_t faults, majors;	/* in the file; counted by the engine */
	const struct capture_engine *engine;
	void *own;			/* data of the engine */
};

/* All return 0 or -errno, and may set .o.e of struct capture. */
struct capture_engine {
	const char *name;
	/* Arm the engine. The command was forked and is not executed yet. */
	int (*open)(struct capture *r);
	/* Write facts about the engine and running processes to the new file. */
	int (*begin)(struct capture *r);
	/* Write statistics to the file. Called every second. */
	int (*stats)(struct capture *r, uint64_t now);
	/* Stop observing faults. */
	void (*stop)(struct capture *r);
	/* Write remaining faults and losses to the file. *produced receives the sum of both. */
	int (*end)(struct capture *r, uint64_t *produced);
	/* Free the engine. The file is closed. Called after .open, even if .open failed. */
	void (*close)(struct capture *r);
};

extern const struct capture_engine capture_engine_module, capture_engine_perf;

#endif
