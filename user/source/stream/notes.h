/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - notes of a stream, held until the faults before them have been delivered.
 */
#ifndef FLT_SOURCE_STREAM_NOTES_H
#define FLT_SOURCE_STREAM_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/stream/item.h"

/* A note: its head, and the slots that follow the head. */
struct flt_stream_held {
	uint64_t due;
	size_t count, wanted;	/* slots received, and slots of the whole note */
	union flt_stream_note slot[];
};

/* All zero: empty. flt_stream_notes_order() sorts them by time. */
struct flt_stream_notes {
	struct flt_stream_held **held;
	size_t first, end, room;	/* held[first .. end - 1] are waiting */
	bool disordered;
};

void flt_stream_notes_free(struct flt_stream_notes *notes);

/*
 * Allocate a note with this head. The caller fills the other slots and owns the note. Return
 * NULL if there is no memory.
 */
struct flt_stream_held *flt_stream_held_new(const union flt_stream_note *head);

/*
 * Add a complete note. Takes ownership of @held, also on error. Return 0, -ENOMEM, or
 * -EBADMSG if a length in the head exceeds the slots.
 */
int flt_stream_notes_add(struct flt_stream_notes *notes, struct flt_stream_held *held);
/* Sort the notes by time. Return 0 or -ENOMEM. */
int flt_stream_notes_order(struct flt_stream_notes *notes);

/* Return the first note, or NULL. */
static inline const struct flt_stream_held *flt_stream_notes_first(const struct flt_stream_notes *n)
{
	return n->first < n->end ? n->held[n->first] : NULL;
}

void flt_stream_notes_drop_first(struct flt_stream_notes *notes);

#endif
