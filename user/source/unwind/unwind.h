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

/* Number of registers of x86-64, and the instruction pointer, in DWARF's numbering. */
#define FLT_UNWIND_REGS 17
#define FLT_UNWIND_IP 16

/* A thread at one instruction. */
struct flt_unwind_sample {
	uint64_t regs[FLT_UNWIND_REGS];
	const void *stack;	/* a copy, from the stack pointer up */
	size_t size;
};

/* The mapped files of one image. */
struct flt_unwind;

/* Return NULL if there is no memory. */
struct flt_unwind *flt_unwind_new(void);
void flt_unwind_free(struct flt_unwind *u);

/* Add a file that was mapped executable. Ignores mappings that are not files. */
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
