/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.h - the buffer that slots of one CPU are read into. The faults in it wait for those
 * of other CPUs.
 */
#ifndef FLT_SOURCE_STREAM_QUEUE_H
#define FLT_SOURCE_STREAM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/stream/item.h"

/* Consecutive faults: slots first to end - 1. */
struct flt_stream_run {
	size_t first, end;
};

/* All zero: empty. flt_stream_queue_order() sorts the faults by their end times. */
struct flt_stream_queue {
	union flt_stream_note *slot;
	size_t count, room;
	struct flt_stream_run *run;	/* run[first_run .. runs - 1] wait; none is empty */
	size_t first_run, runs, run_room;
	uint64_t last;			/* end time of the last fault that waits */
	bool disordered;
};

void flt_stream_queue_free(struct flt_stream_queue *queue);

/* Return room for count slots after those in use. Return NULL if there is no memory. */
union flt_stream_note *flt_stream_queue_room(struct flt_stream_queue *queue, size_t count);
/*
 * Queue the faults at the start of the next count slots, up to the first other slot. The
 * first slot must be a fault. Set *taken to the number of faults. Return 0 or -ENOMEM.
 */
int flt_stream_queue_faults(struct flt_stream_queue *queue, size_t count, size_t *taken);
/* Skip the next count slots, which are not faults and have been processed. */
static inline void flt_stream_queue_skip(struct flt_stream_queue *queue, size_t count)
{
	queue->count += count;
}

/* Sort the faults by their end times. Return 0 or -ENOMEM. */
int flt_stream_queue_order(struct flt_stream_queue *queue);

static inline bool flt_stream_queue_empty(const struct flt_stream_queue *queue)
{
	return queue->first_run == queue->runs;
}

/* Remove the first run. Its slots are reused when the buffer is full. */
static inline void flt_stream_queue_drop_run(struct flt_stream_queue *queue)
{
	queue->first_run++;
}

/* Return the time at which the fault ended. */
static inline uint64_t flt_stream_queue_end(const struct flt_event_record *r)
{
	return r->time + flt_event_latency(r);
}

#endif
