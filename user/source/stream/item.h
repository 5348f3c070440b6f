/* SPDX-License-Identifier: GPL-2.0-or-later */
/* item.h - the items of a stream, and the callbacks that receive them. */
#ifndef FLT_SOURCE_ITEM_H
#define FLT_SOURCE_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/flt_event.h>

#include "event/fault.h"

union flt_stream_note {
	struct flt_event_record record;	/* the member type is at the same offset in all */
	struct flt_event_path path;
	struct flt_event_area area;
	struct flt_event_life life;
	struct flt_event_stack stack;
	struct flt_event_slice slice;
	struct flt_event_causes causes;
	struct flt_event_move move;
};

struct flt_stream_sink {
	/*
	 * Receive a fault. image is 0, and stack is an ID for flt_stream_stacks_of(), because the
	 * module knows no others. The sink may change the fault, which is valid during the call.
	 * -errno ends the read with that error, in all callbacks.
	 */
	int (*fault)(void *arg, struct flt_fault *fault);
	/*
	 * Receive an array of consecutive faults. If not NULL, it is called instead of
	 * fault(). If it fails, none of the faults counts as delivered, and none is
	 * passed again.
	 */
	int (*faults)(void *arg, struct flt_fault *fault, size_t count);
	/*
	 * Receive a note (any enum flt_event_type but FAULT): its head, and the bytes of the
	 * slots that follow. Lengths in the head have been checked against the slots. Notes
	 * arrive in time order with the faults, so before the faults they describe.
	 * NULL: ignore notes.
	 */
	int (*note)(void *arg, const union flt_stream_note *head, const void *bytes);
	/*
	 * Receive the number of records of a CPU that were lost between two times
	 * (CLOCK_MONOTONIC ns; from is 0 if there was no earlier record). NULL: ignore
	 * gaps; FLT_CMD_SESSION_GET returns the total.
	 */
	int (*gap)(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to);
	void *arg;
};

/* Return the latency in ns, whatever the unit of r->latency is. */
static inline uint64_t flt_event_latency(const struct flt_event_record *r)
{
	/* Only latencies above 4 s have this flag. */
	if (__builtin_expect_with_probability(r->flags & FLT_EVENT_LONG, 0, 0.999))
		return (uint64_t)r->latency << 10;
	return r->latency;
}

#endif
