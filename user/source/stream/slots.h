/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h - decode the slots of a stream from any channel: take slots per CPU, and deliver
 * the faults and notes of all CPUs in order. All input is validated.
 */
#ifndef FLT_SOURCE_STREAM_SLOTS_H
#define FLT_SOURCE_STREAM_SLOTS_H

#include "source/stream/item.h"
#include "text/errmsg.h"

struct flt_slots;

int flt_slots_new(struct flt_slots **slots, uint32_t cpus);
void flt_slots_free(struct flt_slots *slots);

/*
 * Set *slot to room for at most count further slots of a CPU. Return 0, -ENOMEM, or -EBADMSG
 * if there is no such CPU.
 */
int flt_slots_room(struct flt_slots *slots, uint32_t cpu, size_t count,
		   union flt_stream_note **slot, struct flt_errmsg *e);
/*
 * Decode count slots that were written to that room. A note may be continued by later slots.
 * Gaps are reported at once; faults and notes are held. Return -EBADMSG if the slots are not
 * valid or do not continue the earlier slots.
 */
int flt_slots_take(struct flt_slots *slots, uint32_t cpu, size_t count,
		   const struct flt_stream_sink *sink, struct flt_errmsg *e);
/*
 * Deliver all faults and notes up to horizon (CLOCK_MONOTONIC ns), in the order of the end
 * times of faults and the times of notes. At equal times a note comes before the faults, which
 * it describes, and the fault of a lower CPU before others; otherwise the order of
 * arrival is kept.
 */
int flt_slots_give(struct flt_slots *slots, uint64_t horizon, const struct flt_stream_sink *sink);

/* Return the number of faults taken, including held faults. */
uint64_t flt_slots_taken(const struct flt_slots *slots);
/* Get the number of faults delivered so far, and lost so far by the sub-buffer heads. */
void flt_slots_count(const struct flt_slots *slots, uint64_t *delivered, uint64_t *lost);

#endif
