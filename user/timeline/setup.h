/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.h - setup of a timeline, and the stacks that it finds. */
#ifndef FLT_TIMELINE_SETUP_H
#define FLT_TIMELINE_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/memory/regions.h"
#include "source/file/file.h"
#include "timeline/unwind_by.h"

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
	enum flt_unwind_by unwind;	/* of slices; not by frame pointers */
	/*
	 * Notes and faults are events of perf, which reports neither first touches nor the mapping
	 * of the main stack: find both here.
	 */
	bool perf;
	uint32_t depth;		/* maximum depth of a stack that is unwound here */
};

/* A value of flt_timeline_stack.cut: the unwind tables do not lead past the last frame. */
#define FLT_TIMELINE_CUT_UNWIND 255

/* The stack of a fault, valid until the next fault. count 0: none was taken, or it was lost. */
struct flt_timeline_stack {
	const uint64_t *address;	/* the instruction, then return addresses */
	size_t count;
	uint32_t id;		/* of the same frames in all faults of the stream; 0: none */
	uint8_t cut;		/* enum flt_cut or FLT_TIMELINE_CUT_UNWIND: why the stack ends */
	bool astray;		/* truncated where a frame pointer led to an invalid address */
	bool lost;		/* the stack was taken, but its note was lost */
};

#endif
