/* SPDX-License-Identifier: GPL-2.0-or-later */
/* item.h - what a stream consists of, and who takes it. */
#ifndef FLT_SOURCE_ITEM_H
#define FLT_SOURCE_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/flt_event.h>

union flt_stream_note {
	struct flt_event_record record;	/* type is where all have it */
	struct flt_event_path path;
	struct flt_event_area area;
	struct flt_event_life life;
	struct flt_event_stack stack;
	struct flt_event_slice slice;
};

struct flt_stream_sink {
	/* A fault. -errno ends the round with it, here and below. */
	int (*record)(void *arg, const struct flt_event_record *record);
	/*
	 * Faults that follow on each other, count of them. NULL: one after the other, by
	 * `record`; else that is not called. What is handed over with the error that ends
	 * a round is not counted as delivered, and does not come again.
	 */
	int (*records)(void *arg, const struct flt_event_record *const *record, size_t count);
	/*
	 * A note (enum flt_event_type but FAULT): its head, struct flt_event_path and so
	 * on, and its bytes, those of the slots that follow. In its time among the
	 * faults, so before those it is about. What its head says of a length is
	 * within the slots. NULL: not wanted.
	 */
	int (*note)(void *arg, const union flt_stream_note *head, const void *bytes);
	/*
	 * count records of this CPU were lost between the two times (CLOCK_MONOTONIC
	 * ns; from is 0 if there was no record before). NULL: not wanted, as the session
	 * can be asked for all that were lost.
	 */
	int (*gap)(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to);
	void *arg;
};

/* Nanoseconds, whatever the unit of r->latency. */
static inline uint64_t flt_event_latency(const struct flt_event_record *r)
{
	/* Four seconds and more. */
	if (__builtin_expect_with_probability(r->flags & FLT_EVENT_LONG, 0, 0.999))
		return (uint64_t)r->latency << 10;
	return r->latency;
}

#endif
