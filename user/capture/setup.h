/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.h - the parameters of a capture. */
#ifndef FLT_CAPTURE_SETUP_H
#define FLT_CAPTURE_SETUP_H

#include "cli/command.h"

enum flt_capture_engine { FLT_CAPTURE_AUTO = 0, FLT_CAPTURE_MODULE, FLT_CAPTURE_PERF };

struct flt_capture_setup {
	/* Record these processes, or all, or else the command of struct flt_run. */
	struct flt_ids pids;
	bool all;
	uint64_t duration;	/* ns; 0: until the processes end */
	enum flt_capture_engine engine;
	bool no_stack;
	bool unwind;		/* use unwind tables instead of frame pointers */
	uint64_t max_stack;
	uint64_t subbuf_size, subbufs;	/* of the module's stream; 0: not given */
	const char *output;	/* NULL: a temporary file */
	bool quiet;		/* no progress and no summary */
};

#endif
