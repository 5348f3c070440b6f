/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - the faults and notes of a session, as they flow.
 *
 * By the session's relay files, or by netlink where those cannot be opened; who
 * reads does not see which. Records of all CPUs come in the order in which their
 * faults ended. A round of reading is put in order as a whole; what ended less than
 * FLT_STREAM_WINDOW_NS before it waits for the next one, since a slower CPU may
 * still be writing; by netlink, what ended after the horizon that the module tells.
 * CPUs that come up later are found.
 */
#ifndef FLT_SOURCE_STREAM_H
#define FLT_SOURCE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/flt_event.h>

#include "text/errmsg.h"
#include "source/netlink/control.h"

#define FLT_STREAM_WINDOW_NS 20000000ull

struct flt_stream;

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

/*
 * A session of its own, and its stream: of these processes or, without any, of all.
 * It ends with the stream, which has to be closed before the control. Errors: those of
 * flt_control_stream_new(); -ENOENT, -EACCES: the relay files that were asked for
 * cannot be reached; -EOPNOTSUPP: processes are named, and in another PID namespace
 * than the module's.
 */
int flt_stream_open(struct flt_stream **stream, struct flt_control *control,
		    const uint32_t *tgids, size_t count, bool follow,
		    const struct flt_stream_wish *wish, struct flt_errmsg *e);
void flt_stream_close(struct flt_stream *stream);

/* The session, to be asked for by flt_control_session(). */
uint32_t flt_stream_session(const struct flt_stream *stream);

/*
 * Reads what is there and hands on what is old enough. -EBADMSG: the bytes are no
 * stream of ours.
 */
int flt_stream_read(struct flt_stream *stream, const struct flt_stream_sink *sink,
		    struct flt_errmsg *e);

/* What became of a stream that was read to its end. */
struct flt_stream_end {
	uint64_t delivered;	/* faults handed on */
	uint64_t lost;		/* found no room in the stream */
	uint64_t untold;	/* of these: at the end, no gap told of them */
	uint64_t missed;	/* by the probe: in the accounts, and in no stream */
	struct flt_session session;
};

/*
 * The last reading: asks what the session wrote, and hands on everything once that has
 * come. -EBADMSG as well if it does not come.
 */
int flt_stream_end(struct flt_stream *stream, const struct flt_stream_sink *sink,
		   struct flt_stream_end *end, struct flt_errmsg *e);

/* Nanoseconds, whatever the unit of r->latency. */
static inline uint64_t flt_event_latency(const struct flt_event_record *r)
{
	/* Four seconds and more. */
	if (__builtin_expect_with_probability(r->flags & FLT_EVENT_LONG, 0, 0.999))
		return (uint64_t)r->latency << 10;
	return r->latency;
}

#endif
