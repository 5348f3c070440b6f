/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_queue.h - slots of one CPU, where they were read to, and the faults among
 * them that wait for those of other CPUs.
 */
#ifndef FLT_SOURCE_STREAM_QUEUE_H
#define FLT_SOURCE_STREAM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/stream/item.h"

/* Faults that follow on each other: slots [first, behind). */
struct flt_stream_run {
	size_t first, behind;
};

/* All zero: empty. Its faults are in order of their ends once flt_stream_queue_order() was there. */
struct flt_stream_queue {
	union flt_stream_note *slot;
	size_t count, room;
	struct flt_stream_run *run;	/* [first_run, runs) wait, each of them something */
	size_t first_run, runs, run_room;
	uint64_t last;			/* end of the last of them */
	bool disordered;
};

void flt_stream_queue_free(struct flt_stream_queue *queue);

/* Where count slots can be put, behind what waits; NULL: no memory. */
union flt_stream_note *flt_stream_queue_room(struct flt_stream_queue *queue, size_t count);
/*
 * The faults that the next count slots there begin with, which is a fault, wait from
 * now on. *taken: how many. -ENOMEM.
 */
int flt_stream_queue_faults(struct flt_stream_queue *queue, size_t count, size_t *taken);
/* The next count slots there are something else, that is done with. */
static inline void flt_stream_queue_skip(struct flt_stream_queue *queue, size_t count)
{
	queue->count += count;
}

/* -ENOMEM. */
int flt_stream_queue_order(struct flt_stream_queue *queue);

static inline bool flt_stream_queue_empty(const struct flt_stream_queue *queue)
{
	return queue->first_run == queue->runs;
}

/* The first run is over, but stays where it is until there has to be room. */
static inline void flt_stream_queue_drop_run(struct flt_stream_queue *queue)
{
	queue->first_run++;
}

static inline uint64_t flt_stream_queue_end(const struct flt_event_record *r)
{
	return r->time + flt_event_latency(r);
}

#endif
