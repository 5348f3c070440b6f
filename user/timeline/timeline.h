/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - programs and mappings of processes over time, and the stacks of faults, from the
 * notes of the module's stream. They go to a trace file, to a recording in memory, to regions,
 * or to several of the three.
 */
#ifndef FLT_TIMELINE_H
#define FLT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/fault.h"
#include "model/memory/regions.h"
#include "model/recording/recording.h"
#include "source/file/file.h"
#include "source/stream/item.h"
#include "timeline/unwind.h"

/* Maximum number of frames of a stack. */
#define FLT_TIMELINE_DEPTH 512

enum flt_timeline_stacks {
	FLT_TIMELINE_NO_STACKS = 0,
	FLT_TIMELINE_FRAMES,	/* unwound by the module, by frame pointers */
	FLT_TIMELINE_SLICES,	/* unwound here, from a copy of the stack */
};

struct flt_timeline_setup {
	/* Gets images, threads and mappings. The caller keeps ownership. NULL: no file. */
	struct flt_file_writer *writer;
	/* Gets images, mappings and names of files. The caller keeps ownership. NULL: none. */
	struct flt_regions *regions;
	/* The process that is going to exec the command; its image is 0 until then. 0: none. */
	uint32_t command;
	bool in_memory;		/* for flt_timeline_recording(); slices imply it */
	bool code_only;		/* leave out mappings that are not executable */
	enum flt_timeline_stacks stacks;
	uint32_t depth;		/* maximum depth of a stack that is unwound here */
};

/* The stack of a fault, valid until the next fault. count 0: none was taken, or it was lost. */
struct flt_timeline_stack {
	const uint64_t *address;	/* the instruction, then return addresses */
	size_t count;
	uint8_t cut;		/* enum flt_cut or FLT_TIMELINE_CUT_UNWIND: why the stack ends */
	bool astray;		/* truncated where a frame pointer led to an invalid address */
	bool lost;		/* the stack was taken, but its note was lost */
};

struct flt_timeline;

/* Call flt_timeline_free() also after an error. Return -ENOMEM. */
int flt_timeline_new(struct flt_timeline **timeline, const struct flt_timeline_setup *setup);
void flt_timeline_free(struct flt_timeline *timeline);

/* Add a process that runs already. Return 0 also if the process has ended. */
int flt_timeline_found(struct flt_timeline *timeline, uint64_t time, uint32_t pid);
/* Begin a round of reading. Resets the limit on reads of /proc/PID/maps for regions. */
void flt_timeline_round(struct flt_timeline *timeline);
/* Add a note of the stream. Notes of unknown types are ignored. */
int flt_timeline_note(struct flt_timeline *timeline, const union flt_stream_note *note,
		      const void *bytes);
/*
 * Decode a fault of the stream. Find its stack and the image that ran when the fault happened (0:
 * unknown). Make the mapping at its address known to the regions, if possible. fault->stack stays
 * 0. Return -ENOMEM, or -E2BIG: a recording cannot hold more images.
 */
int flt_timeline_fault(struct flt_timeline *timeline, const struct flt_event_record *record,
		       struct flt_fault *fault, struct flt_timeline_stack *stack);

/* Return the recording, or NULL if it is not kept in memory. */
struct flt_recording *flt_timeline_recording(struct flt_timeline *timeline);
/* Return the sum of the resident bytes of the processes that run now. */
uint64_t flt_timeline_rss(const struct flt_timeline *timeline);

#endif
