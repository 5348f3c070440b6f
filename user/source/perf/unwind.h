/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_unwind.h - call stacks from registers and a copy of the stack, by the
 * unwind tables of the files that were mapped: no frame pointers needed.
 */
#ifndef FLT_PERF_UNWIND_H
#define FLT_PERF_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers by their DWARF numbers on x86-64, and that of the instruction pointer. */
#define FLT_UNWIND_REGS 17
#define FLT_UNWIND_IP 16

struct flt_unwind;

/*
 * Of one process image. What it has mapped is taken from /proc if it still runs;
 * pid 0: only what is told below. NULL: no memory.
 */
struct flt_unwind *flt_unwind_new(uint32_t pid);
void flt_unwind_free(struct flt_unwind *u);

/* A file was mapped executable. */
void flt_unwind_map(struct flt_unwind *u, uint64_t start, uint64_t offset, const char *path);

/* Registers taken by FLT_PERF_REGS. */
void flt_unwind_regs(uint64_t regs[FLT_UNWIND_REGS], const uint64_t *perf);

/* Addresses from the instruction itself outwards; returns how many. */
size_t flt_unwind_run(struct flt_unwind *u, const uint64_t *regs, const void *stack, size_t size, uint64_t *frames, size_t room);
/* The last run ended before the outermost frame. */
bool flt_unwind_stopped(const struct flt_unwind *u);

#endif
