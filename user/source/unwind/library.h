/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library.h - what a library that unwinds has to do. */
#ifndef FLT_UNWIND_LIBRARY_H
#define FLT_UNWIND_LIBRARY_H

#include <stdbool.h>

#include "source/unwind/sample.h"
#include "source/unwind/tables.h"

/* The name of the vDSO in /proc/PID/maps. */
#define FLT_UNWIND_VDSO "[vdso]"

/* The stack that is unwound now. */
struct flt_unwind_stack {
	const struct flt_unwind_sample *sample;
	uint64_t *frames;
	size_t count, room;
	bool ended;		/* the last frame is the outermost one */
};

struct flt_unwind_library_ops {
	/* Return NULL if there is no memory. The store outlives the result. */
	void *(*new)(struct flt_unwind_store *store);
	void (*free)(void *state);
	/*
	 * Add a regular file or FLT_UNWIND_VDSO. It takes the place of files that were mapped at
	 * its addresses.
	 */
	void (*map)(void *state, uint64_t start, uint64_t offset, const char *path);
	/* Add frames to the stack, at most stack->room, which is not 0. */
	void (*run)(void *state, struct flt_unwind_stack *stack);
};

extern const struct flt_unwind_library_ops flt_unwind_libdw, flt_unwind_libunwind;

/*
 * Read a word of the copied stack, without a signature. Return false if the copy does not contain
 * the whole word.
 */
bool flt_unwind_stack_word(const struct flt_unwind_stack *stack, uint64_t address, uint64_t *word);

#endif
