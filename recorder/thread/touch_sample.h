/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch_sample.h - first touches of granted pages: registers, and a copy of the stack.
 *
 * The kernel writes a sample when a thread touches a page that the program `touches` passes, and
 * wakes nobody. The recorder takes the samples later. If the ring is full, the kernel drops the
 * sample, and only the table of the filter says that the page was touched.
 */
#ifndef FLT_REC_TOUCH_SAMPLE_H
#define FLT_REC_TOUCH_SAMPLE_H

#include "perf_sample.h"
#include "unwind/stack_copy.h"

#include <stdbool.h>
#include <stdint.h>

/* The most samples that a ring is sure to hold. */
#define REC_TOUCH_SAMPLES 60u
/* Bytes of the stack in a sample. */
#define REC_TOUCH_STACK   (32256u)

struct rec_touch_sample {
	struct rec_perf_sample fault;
	struct rec_stack_copy stack;	/* valid until rec_touch_sample_free() */
};

/*
 * Map a ring for samples of a thread. filter: descriptor of the program. stacks: copy them.
 * Return NULL on error.
 */
void *rec_touch_sample_open(uint32_t tid, int filter, bool stacks);
void rec_touch_sample_close(void *ring);
/*
 * Take the sample at *at, which begins with 0, and move on. Return false if there are no more. The
 * caller is the only reader of the ring.
 */
bool rec_touch_sample_take(void *ring, uint64_t *at, struct rec_touch_sample *s);
/* Free the room of the samples up to `at`. */
void rec_touch_sample_free(void *ring, uint64_t at);

#endif
