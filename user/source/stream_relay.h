/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_relay.h - the faults and notes of a session, from its relay files.
 *
 * Records of all CPUs come in the order in which their faults ended. A round of
 * reading is put in order as a whole; what ended less than FLT_STREAM_WINDOW_NS
 * before it waits for the next one, since a slower CPU may still be writing.
 * CPUs that come up later are found.
 */
#ifndef FLT_SOURCE_STREAM_RELAY_H
#define FLT_SOURCE_STREAM_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/flt_event.h>

#include "errmsg.h"

#define FLT_STREAM_WINDOW_NS 20000000ull

struct flt_stream_relay;

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
	 * A note (enum flt_event_type but FAULT): its head, struct flt_event_path and so
	 * on, and its bytes, those of the slots that follow. In its time among the
	 * faults, so before those it is about. What its head says of a length is
	 * within the slots. NULL: not wanted.
	 */
	int (*note)(void *arg, const union flt_stream_note *head, const void *bytes);
	/*
	 * count records of this CPU were lost between the two times (CLOCK_MONOTONIC
	 * ns; from is 0 if there was no record before).
	 */
	int (*gap)(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to);
	void *arg;
};

/* -ENOENT: no such session, or debugfs is not mounted; -EACCES. */
int flt_stream_relay_open(struct flt_stream_relay **stream, uint32_t session,
			  struct flt_errmsg *e);
void flt_stream_relay_close(struct flt_stream_relay *stream);

/*
 * Reads what is there and hands it on; last: everything, nobody writes any more.
 * -EBADMSG: the bytes are no stream of ours.
 */
int flt_stream_relay_read(struct flt_stream_relay *stream, bool last,
			  const struct flt_stream_sink *sink, struct flt_errmsg *e);

/*
 * Faults handed on, and lost according to sub-buffer heads, so far. At the end of a
 * session, or of its processes, delivered is what the session wrote, no less.
 */
void flt_stream_relay_count(const struct flt_stream_relay *stream, uint64_t *delivered,
			    uint64_t *lost);

/* Nanoseconds, whatever the unit of r->latency. */
static inline uint64_t flt_event_latency(const struct flt_event_record *r)
{
	return r->flags & FLT_EVENT_LONG ? (uint64_t)r->latency << 10 : r->latency;
}

#endif
