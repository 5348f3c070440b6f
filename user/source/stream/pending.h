/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pending.h - what a note says of the next fault of a thread, held until that fault arrives.
 *
 * A thread may have two: faults arrive in the order in which they end, notes in the order in which
 * their faults began, and the clocks of two CPUs differ by more than the time between two faults. A
 * note whose fault was lost would stay if the thread had no further fault, so all are dropped when
 * there are too many.
 */
#ifndef FLT_SOURCE_STREAM_PENDING_H
#define FLT_SOURCE_STREAM_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include "event/fault.h"

struct flt_stream_pending;

int flt_stream_pending_new(struct flt_stream_pending **pending);
void flt_stream_pending_free(struct flt_stream_pending *pending);

/*
 * Hold size bytes for the fault of a thread that began at a time. Return where the caller has to
 * write them, or NULL if there is no memory.
 */
void *flt_stream_pending_add(struct flt_stream_pending *pending, uint32_t tid, uint64_t time,
			     size_t size);
/* Return the bytes of a fault, valid until the next call. NULL: there are none. */
const void *flt_stream_pending_of(struct flt_stream_pending *pending,
				  const struct flt_fault *fault);

#endif
