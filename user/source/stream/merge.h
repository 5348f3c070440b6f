/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h - merge the faults of all CPUs, in the order in which the faults ended, and convert
 * them to struct flt_fault. Each queue must be in that order.
 */
#ifndef FLT_SOURCE_STREAM_MERGE_H
#define FLT_SOURCE_STREAM_MERGE_H

#include <stdint.h>

#include "source/stream/queue.h"

struct flt_stream_merge;

/* Allocate a merge of at most @queues queues. Return 0 or -ENOMEM. */
int flt_stream_merge_new(struct flt_stream_merge **merge, uint32_t queues);
void flt_stream_merge_free(struct flt_stream_merge *merge);

/* Start to merge queues. Do not change them until flt_stream_merge_end(). */
void flt_stream_merge_begin(struct flt_stream_merge *merge, struct flt_stream_queue *queue,
			    uint32_t queues);
/*
 * Pass all faults that ended at @limit or before to the sink. If two faults ended at the
 * same time, the fault of the first queue comes first. Add the number of delivered faults
 * to *delivered. Return the error of the sink; the faults passed with the error are dropped.
 */
int flt_stream_merge_run(struct flt_stream_merge *merge, uint64_t limit,
			 const struct flt_stream_sink *sink, uint64_t *delivered);
/* Remove all faults that were passed to the sink from the queues. */
void flt_stream_merge_end(struct flt_stream_merge *merge);

#endif
