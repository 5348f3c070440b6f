/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream_slices.h - copies of stacks, from a stream's FLT_EVENT_SLICE notes, until their faults come. */
#ifndef FLT_SOURCE_STREAM_SLICES_H
#define FLT_SOURCE_STREAM_SLICES_H

#include <stdint.h>

#include <linux/flt_event.h>

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

/* A note and its bytes, as of struct flt_stream_sink. -ENOMEM. */
int flt_stream_slices_add(struct flt_stream_slices *slices, const struct flt_event_slice *note, const void *bytes);

/* That of a fault, good until the next call of this; NULL: none was taken, or it was lost. */
const struct flt_stream_slice *flt_stream_slices_of(struct flt_stream_slices *slices,
						    const struct flt_event_record *record);

#endif
