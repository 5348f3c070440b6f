/* SPDX-License-Identifier: GPL-2.0-or-later */
/* causes.h - what faults spent their time on, from FLT_EVENT_CAUSES notes. */
#ifndef FLT_SOURCE_STREAM_CAUSES_H
#define FLT_SOURCE_STREAM_CAUSES_H

#include <stdint.h>

#include <linux/flt_event.h>

#include "source/stream/pending.h"

/* The parts of the latency of a fault. */
struct flt_stream_causes {
	uint64_t part[__FLT_CAUSE_MAX];	/* ns */
};

/* Add a note, as passed to flt_stream_sink.note. Return 0 or -ENOMEM. */
int flt_stream_causes_add(struct flt_stream_pending *causes, const struct flt_event_causes *note);

/* Return the causes of a fault, valid until the next call. NULL: the note was lost. */
static inline const struct flt_stream_causes *
flt_stream_causes_of(struct flt_stream_pending *causes, const struct flt_fault *fault)
{
	return flt_stream_pending_of(causes, fault);
}

#endif
