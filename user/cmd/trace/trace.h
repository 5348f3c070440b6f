/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - what the files of 'fltctl trace' share.
 *
 *   trace.c       options, and the wish they make
 *   trace_run.c   the session, and the command if there is one
 *   trace_line.c  a record as a row
 */
#ifndef FLT_CMD_TRACE_H
#define FLT_CMD_TRACE_H

#include "timeline/names.h"
#include "cli/command.h"
#include "event/fault.h"
#include "source/netlink/control.h"
#include "source/stream/stream.h"
#include "view/table/table.h"

struct flt_recording;

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
	uint64_t sample;
	uint64_t subbuf_size, subbufs;
	int channel;		/* enum flt_stream_channel */
	uint64_t count;		/* of lines; 0: no end */
	bool stacks;
	int unwind;		/* 0 frame pointers, 1 unwind tables */
	uint64_t max_stack;
	const char *input;	/* a recording; NULL: live */
	const char *output;
	int format;		/* enum flt_format */
};

struct trace {
	const struct flt_command *command;
	const struct trace_args *args;
	struct flt_control *control;
	struct flt_errmsg control_message;
	int control_error;
	struct flt_stream_wish wish;
	FILE *out;		/* of the rows */
	int unwritten;		/* why not all is in it, as errno; 0: all is */
	struct flt_table *table;
	struct names names;
	struct trace_stacks *stacks;	/* NULL: not asked for */
	uint64_t wall_offset;	/* CLOCK_REALTIME - CLOCK_MONOTONIC when it began */
	uint64_t lines, lost;
	bool headed;		/* the heading was written */
	bool full;		/* as many lines as asked for */
};

/* A fault and what is known of it. NULL: nothing is. */
struct trace_fault {
	struct flt_fault fault;
	const char *comm, *path;
	bool timed;		/* its latency is known */
	bool in_file;		/* a file is mapped there: page is known */
	const char *stack;	/* a line for each frame, innermost first */
	const char *cut;	/* why the stack ends early */
};

/* run.c */
int trace_run(struct trace *t, char **command);
/* Write the lines that the table holds back, the heading first. */
void trace_flush(struct trace *t);

/* recorded.c: the faults of --input; an exit status. */
int trace_recorded(struct trace *t);

/* stacks.c: meet, round and note do nothing without stacks. */
int trace_stacks_open(struct trace *t);
int trace_stacks_open_file(struct trace *t, struct flt_recording *rec);
void trace_stacks_close(struct trace *t);
/* The stream begins: learn what these processes have mapped before. */
int trace_stacks_meet(struct trace *t, const uint32_t *tgids, size_t count);
/* A new round of records begins. */
int trace_stacks_round(struct trace *t);
int trace_stacks_note(struct trace *t, const union flt_stream_note *note, const void *bytes);
/* Fill in the fault and its stack, good until the next call. */
int trace_stacks_live(struct trace *t, const struct flt_event_record *record, struct trace_fault *fault);
int trace_stacks_recorded(struct trace *t, struct trace_fault *fault);

/* line.c */
int trace_line_open(struct trace *t);
void trace_line_close(struct trace *t);
int trace_line_fault(struct trace *t, const struct trace_fault *fault);
int trace_line_gap(struct trace *t, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to);

#endif
