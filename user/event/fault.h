/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.h - one page fault, from any source.
 *
 * Each source decodes its own format into this struct: the module's stream, perf's ring
 * buffers, the recorder's rings and trace files. Everything above sources uses this struct
 * only. Numbers that a source cannot know are 0.
 */
#ifndef FLT_EVENT_FAULT_H
#define FLT_EVENT_FAULT_H

#include <stdint.h>

#include "flt_file.h"

struct flt_fault {
	uint64_t time;		/* CLOCK_MONOTONIC ns at which the fault began */
	uint64_t address;	/* accessed; some sources know only its page */
	uint64_t ip;		/* user instruction, or after the system call; 0: none */
	uint64_t inode;		/* with device: the file that was mapped; 0: none */
	uint64_t latency;	/* ns until resolved */
	uint32_t pid, tid;	/* running thread; pid 0: the process of the image */
	uint32_t page;		/* offset of the page in the file, in pages, modulo 2^32 */
	uint32_t stack;		/* node of the caller in the stacks of the image; 0: none */
	uint32_t device;	/* major << 20 | minor */
	uint32_t image;		/* owner of the memory, see flt_file.h */
	uint32_t weight;	/* number of faults that this record represents */
	uint32_t pages;		/* pages brought in */
	uint32_t flags;		/* FLT_FAULT_* */
	uint16_t cpu;
	uint8_t kind;		/* enum flt_kind */
	uint8_t failure;	/* enum flt_failure, of FLT_FAULT_FAILED */
	uint8_t attempts;	/* 255: or more */
};

/* Return the result as the module has it: enum flt_result, plus enum flt_failure if FAILED. */
static inline uint32_t flt_fault_result(const struct flt_fault *f)
{
	if (f->flags & FLT_FAULT_FAILED)
		return FLT_RESULT_FAILED + f->failure;
	return f->flags & FLT_FAULT_MAJOR ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR;
}

#endif
