/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_notes.h - the notes of a stream that wait for their time among the faults.
 */
#ifndef FLT_SOURCE_STREAM_NOTES_H
#define FLT_SOURCE_STREAM_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/stream/item.h"

/* A note: its head, and what follows that. */
struct flt_stream_held {
	uint64_t due;
	size_t count, wanted;	/* slots that came, and that it has */
	union flt_stream_note slot[];
};

/* All zero: none. In order of their times, once flt_stream_notes_order() has said so. */
struct flt_stream_notes {
	struct flt_stream_held **held;
	size_t first, behind, room;	/* [first, behind) wait */
	bool disordered;
};

void flt_stream_notes_free(struct flt_stream_notes *notes);

/* One that begins with this head, and gets its other slots from its owner. NULL: no memory. */
struct flt_stream_held *flt_stream_held_new(const union flt_stream_note *head);

/*
 * Of a note that has all its slots; it is taken, or freed if this fails. -ENOMEM; -EBADMSG:
 * what its head says of a length is not within the slots.
 */
int flt_stream_notes_add(struct flt_stream_notes *notes, struct flt_stream_held *held);
/* -ENOMEM. */
int flt_stream_notes_order(struct flt_stream_notes *notes);

/* NULL: none. */
static inline const struct flt_stream_held *flt_stream_notes_first(const struct flt_stream_notes *n)
{
	return n->first < n->behind ? n->held[n->first] : NULL;
}

void flt_stream_notes_drop_first(struct flt_stream_notes *notes);

#endif
