/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - declarations shared by the files of 'fltctl trace'.
 *
 *   trace.c     options, and the parameters of the stream
 *   run.c       a live trace
 *   recorded.c  the faults of a recording
 *   stacks.c    the stack below a line
 *   line.c      a fault as a row
 *   cgroups.c   sums by cgroup instead of rows
 */
#ifndef FLT_CMD_TRACE_H
#define FLT_CMD_TRACE_H

#include "timeline/names.h"
#include "cli/command.h"
#include "event/fault.h"
#include "observe/causes.h"
#include "source/netlink/control.h"
#include "source/stream/causes.h"
#include "source/stream/stream.h"
#include "view/table/table.h"

struct flt_ctf;
struct flt_recording;

enum trace_by { TRACE_BY_FAULT = 0, TRACE_BY_CGROUP };

struct trace_args {
	struct flt_ids pids;
	bool follow;
	int results;		/* index into the choices of -F */
	const char *kinds;
	uint64_t latency;
	const char *address;
	const char *file;
	const char *comm;
	const char *user;
	const char *cgroup;
	int by;			/* enum trace_by */
	uint64_t sample;
	uint64_t subbuf_size, subbufs;
	int channel;		/* enum flt_stream_channel */
	uint64_t count;		/* of lines; 0: unlimited */
	bool stacks;
	bool why;		/* what faults spend their time on */
	int unwind;		/* enum flt_unwind_by, or -1 */
	uint64_t max_stack;
	const char *input;	/* a recording; NULL: live */
	const char *output;
	const char *ctf;	/* directory; NULL: rows */
	struct flt_table_style style;
};

struct trace {
	const struct flt_command *command;
	const struct trace_args *args;
	struct flt_control *control;
	struct flt_errmsg control_message;
	int control_error;
	struct flt_stream_wish wish;
	FILE *out;
	int unwritten;		/* errno of the first failed write, or 0 */
	struct flt_table *table;
	struct flt_ctf *ctf;	/* NULL: rows */
	struct names names;
	struct trace_stacks *stacks;	/* NULL: no stacks */
	struct trace_cgroups *cgroups;	/* NULL: not --by=cgroup */
	struct flt_stream_pending *pending;	/* causes of faults to come; NULL: no --why */
	struct flt_causes causes;	/* of --why */
	uint64_t wall_offset;	/* CLOCK_REALTIME - CLOCK_MONOTONIC at the start */
	uint32_t page_shift;	/* of the machine that has the faults */
	uint64_t lines, lost;
	bool headed;		/* the heading was written */
	bool full;		/* .args->count lines were written */
};

/* A fault and its description. A text is NULL if it is not known. */
struct trace_fault {
	const struct flt_fault *fault;
	const char *comm, *path;
	bool timed;		/* the latency is known */
	bool in_file;		/* the address is in a mapping of a file; the page is known */
	const struct flt_stream_causes *causes;
	const char *stack;	/* a line per frame, innermost first */
	const char *cut;	/* why the stack is truncated */
};

static inline bool trace_has_stacks(const struct trace_args *args)
{
	return args->stacks || args->unwind >= 0;
}

/* run.c */
int trace_run(struct trace *t, char **command);
/* Write the lines that the table holds, with the heading the first time. */
void trace_flush(struct trace *t);

/* recorded.c: print the faults of --input. Return the exit status. */
int trace_recorded(struct trace *t);

/* stacks.c */
int trace_stacks_open(struct trace *t);
int trace_stacks_open_file(struct trace *t, struct flt_recording *rec);
void trace_stacks_close(struct trace *t);
/* Read the mappings of running processes. Does nothing without stacks. */
int trace_stacks_add_processes(struct trace *t, const uint32_t *tgids, size_t count);
/* Limit the memory used. Call before each round of records. Does nothing without stacks. */
int trace_stacks_round(struct trace *t);
/* Handle a note of the stream. Does nothing without stacks. */
int trace_stacks_note(struct trace *t, const union flt_stream_note *note, const void *bytes);
/* Describe the stack of a fault, until the next call. For the stream, also complete the fault. */
int trace_stacks_live(struct trace *t, struct flt_fault *fault, struct trace_fault *description);
int trace_stacks_recorded(struct trace *t, struct trace_fault *fault);

/* line.c */
int trace_line_open(struct trace *t, struct flt_errmsg *e);
/* Write the rest. Return status, or FLT_EXIT_FAILED after an error, which is printed. */
int trace_line_close(struct trace *t, int status);
int trace_line_fault(struct trace *t, const struct trace_fault *fault);
int trace_line_gap(struct trace *t, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to);

/* cgroups.c */
/* Make the table of --by=cgroup. Return 0 or -errno. */
int trace_cgroups_open(struct trace *t, struct flt_errmsg *e);
void trace_cgroups_close(struct trace *t);
/* Count a fault. Return -ENOMEM. */
int trace_cgroups_fault(struct trace *t, const struct flt_fault *fault);
/* Write a row per cgroup, largest first. Return 0 or -ENOMEM. */
int trace_cgroups_write(struct trace *t);

#endif
