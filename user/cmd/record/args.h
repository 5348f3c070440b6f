/* SPDX-License-Identifier: GPL-2.0-or-later */
/* args.h - the arguments of `fltctl record`. */
#ifndef FLT_CMD_RECORD_ARGS_H
#define FLT_CMD_RECORD_ARGS_H

#include "cli/command.h"
#include "timeline/unwind_by.h"
#include "view/table/table.h"

enum flt_record_engine {
	FLT_RECORD_ENGINE_AUTO = 0,
	FLT_RECORD_ENGINE_PRELOAD,
	FLT_RECORD_ENGINE_CGROUP,
	FLT_RECORD_ENGINE_MODULE,
	FLT_RECORD_ENGINE_PERF,
};

struct flt_record_args {
	uint64_t limit, memory;		/* bytes; 0: not given */
	int policy;			/* enum flt_rec_policy */
	int engine;			/* enum flt_record_engine */
	uint64_t latency;		/* ns */
	uint64_t bandwidth;		/* bytes/s */
	uint64_t max_stack, sample, cores;
	const char *sweep;		/* percentages, or NULL */
	uint64_t files;			/* limit of open files of the command; 0: inherited */
	bool silent;			/* connect the command to /dev/null */
	struct flt_table_style style;
	const char *output;
	bool quiet, inlined, no_inline, no_move, no_grants, no_stack;
	int unwind;			/* without a limit: enum flt_unwind_by, or -1 */
	uint64_t subbuf_size, subbufs;	/* of the module's stream; 0: not given */
	struct flt_ids pids;
	bool all;
	const char *cgroup;		/* directory, or NULL */
	bool by_cgroup;			/* the limit is a cgroup's, by choice or by --engine=auto */
};

static inline enum flt_unwind_by flt_record_unwind_by(const struct flt_record_args *args)
{
	return args->unwind < 0 ? FLT_UNWIND_BY_FRAME_POINTERS : (enum flt_unwind_by)args->unwind;
}

#endif
