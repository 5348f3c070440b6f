/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - which program a process runs, what is mapped, and which stack a fault has:
 * from the notes of the module's stream, in memory, in a trace file, or in both.
 */
#ifndef FLT_TIMELINE_H
#define FLT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/fault.h"
#include "model/recording/recording.h"
#include "source/file/file.h"
#include "source/stream/item.h"
#include "timeline/unwind.h"

/* Deepest stack of a fault. */
#define FLT_TIMELINE_DEPTH 512

enum flt_timeline_stacks {
	FLT_TIMELINE_NO_STACKS = 0,
	FLT_TIMELINE_FRAMES,	/* of the module, by frame pointers */
	FLT_TIMELINE_SLICES,	/* unwound here from a copy of the stack */
};

struct flt_timeline_setup {
	/* Gets images, threads and mappings; stays the caller's. NULL: no file. */
	struct flt_file_writer *writer;
	/* The process that is to exec the command; its image is 0 until then. 0: none. */
	uint32_t command;
	bool in_memory;		/* for flt_timeline_recording(); slices imply it */
	bool code_only;		/* leave out mappings that are not executable */
	enum flt_timeline_stacks stacks;
	uint32_t depth;		/* of a stack that is unwound here */
};

/* The stack of a fault. count 0: none was taken, or lost. Good until the next fault. */
struct flt_timeline_stack {
	const uint64_t *address;	/* the instruction, then return addresses */
	size_t count;
	uint8_t cut;		/* enum flt_cut or FLT_TIMELINE_CUT_UNWIND: why the stack ends */
	bool astray;		/* followed frame pointers that are none, and ends before them */
	bool lost;		/* taken, but lost on the way */
};

struct flt_timeline;

int flt_timeline_new(struct flt_timeline **timeline, const struct flt_timeline_setup *setup);
void flt_timeline_free(struct flt_timeline *timeline);

/* Learn of a process that runs already. 0 as well if the process has gone. */
int flt_timeline_found(struct flt_timeline *timeline, uint64_t time, uint32_t pid);
/* Take a note of the stream. Notes of unknown types are ignored. */
int flt_timeline_note(struct flt_timeline *timeline, const union flt_stream_note *note,
		      const void *bytes);
/*
 * Decode a fault of the stream, find the image that ran when it happened (0: none) and its
 * stack. fault->stack stays 0. -ENOMEM, -E2BIG: more images than a recording can hold.
 */
int flt_timeline_fault(struct flt_timeline *timeline, const struct flt_event_record *record,
		       struct flt_fault *fault, struct flt_timeline_stack *stack);

/* NULL unless kept in memory. */
struct flt_recording *flt_timeline_recording(struct flt_timeline *timeline);
/* Sum up the resident bytes of the processes that run now. */
uint64_t flt_timeline_rss(const struct flt_timeline *timeline);

#endif
