/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.h - copies of stacks, from FLT_EVENT_SLICE notes, held until their faults arrive. */
#ifndef FLT_SOURCE_STREAM_SLICES_H
#define FLT_SOURCE_STREAM_SLICES_H

#include <stdint.h>

#include <linux/flt_event.h>

#include "event/fault.h"

struct flt_stream_slice {
	struct flt_stream_slice *next;
	uint64_t time, sp;
	uint32_t tid;
	uint32_t length;	/* bytes, from sp up */
	struct flt_event_registers registers;
	unsigned char bytes[];
};

struct flt_stream_slices;

int flt_stream_slices_new(struct flt_stream_slices **slices);
void flt_stream_slices_free(struct flt_stream_slices *slices);

/* Add a note, as passed to flt_stream_sink.note. Return 0 or -ENOMEM. */
int flt_stream_slices_add(struct flt_stream_slices *slices, const struct flt_event_slice *note,
			  const void *bytes);

/*
 * Return the slice of a fault, valid until the next call. Return NULL if none was taken or
 * the slice was lost.
 */
const struct flt_stream_slice *flt_stream_slices_of(struct flt_stream_slices *slices,
						    const struct flt_fault *fault);

#endif
