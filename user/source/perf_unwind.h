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

/* Index of the instruction pointer in registers taken by FLT_PERF_REGS. */
#define FLT_UNWIND_IP 8

struct flt_unwind;

/* Of one process image. What it has mapped is taken from /proc if it still runs. NULL: no memory. */
struct flt_unwind *flt_unwind_new(uint32_t pid);
void flt_unwind_free(struct flt_unwind *u);

/* A file was mapped executable. */
void flt_unwind_map(struct flt_unwind *u, uint64_t start, uint64_t offset, const char *path);

/* Addresses from the instruction itself outwards; returns how many. */
size_t flt_unwind_run(struct flt_unwind *u, const uint64_t *regs, const void *stack, size_t size, uint64_t *frames, size_t room);
/* The last run ended before the outermost frame. */
bool flt_unwind_stopped(const struct flt_unwind *u);

#endif
