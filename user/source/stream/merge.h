/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_merge.h - the faults of all CPUs in one order: of queues that are in order
 * each, those that ended first.
 */
#ifndef FLT_SOURCE_STREAM_MERGE_H
#define FLT_SOURCE_STREAM_MERGE_H

#include <stdint.h>

#include "source/stream/queue.h"

struct flt_stream_merge;

/* Of so many queues at most. -ENOMEM. */
int flt_stream_merge_new(struct flt_stream_merge **merge, uint32_t queues);
void flt_stream_merge_free(struct flt_stream_merge *merge);

/* What waits in these; they are left alone until flt_stream_merge_end(). */
void flt_stream_merge_begin(struct flt_stream_merge *merge, struct flt_stream_queue *queue,
			    uint32_t queues);
/*
 * Hands on what ended up to limit; of the same time, that of the first queue first.
 * Adds to *delivered what the sink took. An error is the sink's; what it did not
 * want is gone.
 */
int flt_stream_merge_run(struct flt_stream_merge *merge, uint64_t limit,
			 const struct flt_stream_sink *sink, uint64_t *delivered);
/* What was handed on is taken from the queues. */
void flt_stream_merge_end(struct flt_stream_merge *merge);

#endif
