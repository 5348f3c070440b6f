/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.h - unwind call stacks from registers and a copy of the stack, by the unwind tables of
 * the mapped files. The code needs no frame pointers.
 */
#ifndef FLT_UNWIND_H
#define FLT_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/unwind/sample.h"

/*
 * The library that reads the unwind tables. Both give the same frames: libunwind asks libdw for
 * files that have .debug_frame only. libunwind needs a third of the memory, because images share
 * the tables of a file. It is faster for programs with many libraries, and slower for programs
 * with deep stacks in one file, because it changes the signal mask twice per frame.
 * tests/bench/README.md has figures.
 */
enum flt_unwind_library {
	FLT_UNWIND_LIBUNWIND,
	FLT_UNWIND_LIBDW,
};

/* The mapped files of one image. */
struct flt_unwind;
struct flt_unwind_store;	/* tables.h */

/* Return NULL if there is no memory. The store must outlive the result. */
struct flt_unwind *flt_unwind_new(enum flt_unwind_library library, struct flt_unwind_store *store);
void flt_unwind_free(struct flt_unwind *u);

/*
 * Add a file that was mapped executable, or "[vdso]", the kernel's code in each process. Ignores
 * other mappings.
 */
void flt_unwind_map(struct flt_unwind *u, uint64_t start, uint64_t offset, const char *path);

/*
 * Write the instruction and then the return addresses to frames, at most room of them. Return
 * their number.
 */
size_t flt_unwind_run(struct flt_unwind *u, const struct flt_unwind_sample *sample,
		      uint64_t *frames, size_t room);
/* Return true if the last run ended before the outermost frame. */
bool flt_unwind_stopped(const struct flt_unwind *u);

#endif
