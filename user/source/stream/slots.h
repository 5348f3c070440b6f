/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_slots.h - the bytes of a stream, of any channel: slots of each CPU in, faults
 * and notes of all in order out. Believes nothing that it is given.
 */
#ifndef FLT_SOURCE_STREAM_SLOTS_H
#define FLT_SOURCE_STREAM_SLOTS_H

#include "source/stream/item.h"
#include "text/errmsg.h"

struct flt_slots;

int flt_slots_new(struct flt_slots **slots, uint32_t cpus);
void flt_slots_free(struct flt_slots *slots);

/* Where the next slots of a CPU can be put, at most count. -ENOMEM; -EBADMSG: no such CPU. */
int flt_slots_room(struct flt_slots *slots, uint32_t cpu, size_t count,
		   union flt_stream_note **slot, struct flt_errmsg *e);
/*
 * count slots of a CPU were put there; a note may go on in those that come after. Gaps
 * are told at once, all else is held. -EBADMSG: they are not what a sub-buffer holds, or
 * not what follows on those before.
 */
int flt_slots_take(struct flt_slots *slots, uint32_t cpu, size_t count,
		   const struct flt_stream_sink *sink, struct flt_errmsg *e);
/*
 * Hands on, in order, what ended up to horizon (CLOCK_MONOTONIC ns). Of the same time
 * notes are before faults, which they are about, and faults of the lower CPU before
 * others; else what came first stays first.
 */
int flt_slots_give(struct flt_slots *slots, uint64_t horizon, const struct flt_stream_sink *sink);

/* Faults taken, held ones included. */
uint64_t flt_slots_taken(const struct flt_slots *slots);
/* When the last fault taken of a CPU ended; 0: none yet, or no such CPU. */
uint64_t flt_slots_last(const struct flt_slots *slots, uint32_t cpu);
/* Faults handed on, and lost according to sub-buffer heads, so far. */
void flt_slots_count(const struct flt_slots *slots, uint64_t *delivered, uint64_t *lost);

#endif
