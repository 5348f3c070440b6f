/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.h - copies of stacks, from FLT_EVENT_SLICE notes, held until their faults arrive. */
#ifndef FLT_SOURCE_STREAM_SLICES_H
#define FLT_SOURCE_STREAM_SLICES_H

#include <stdint.h>

#include <linux/flt_event.h>

#include "source/stream/pending.h"

struct flt_stream_slice {
	uint64_t sp;
	uint32_t length;	/* bytes, from sp up */
	struct flt_event_registers registers;
	unsigned char bytes[];
};

/* Add a note, as passed to flt_stream_sink.note. Return 0 or -ENOMEM. */
int flt_stream_slices_add(struct flt_stream_pending *slices, const struct flt_event_slice *note,
			  const void *bytes);

/*
 * Return the slice of a fault, valid until the next call. Return NULL if none was taken or
 * the slice was lost.
 */
static inline const struct flt_stream_slice *
flt_stream_slices_of(struct flt_stream_pending *slices, const struct flt_fault *fault)
{
	return flt_stream_pending_of(slices, fault);
}

#endif
