// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/stream/order.h"

#define FIRST_ROOM 256

void flt_stream_notes_free(struct flt_stream_notes *n)
{
	while (n->first < n->end)
		free(n->held[n->first++]);
	free(n->held);
}

struct flt_stream_held *flt_stream_held_new(const union flt_stream_note *head)
{
	size_t wanted = 1 + (size_t)head->path.more;
	struct flt_stream_held *held = malloc(sizeof(*held) + wanted * sizeof(*head));

	if (!held)
		return NULL;
	held->wanted = wanted;
	held->count = 1;
	held->slot[0] = *head;
	return held;
}

/* Return the number of bytes that the slots after the head must have. */
static size_t size_of(const union flt_stream_note *head)
{
	switch (head->record.type) {
	case FLT_EVENT_PATH:
		return head->path.length;
	case FLT_EVENT_AREA:
		return head->area.length;
	case FLT_EVENT_LIFE:
		return 16;
	case FLT_EVENT_STACK:
		return sizeof(uint64_t) * (size_t)head->stack.depth;
	case FLT_EVENT_SLICE:
		return sizeof(struct flt_event_registers) + (size_t)head->slice.length;
	default:
		return 0;
	}
}

/*
 * Return the time at which a note is due. Another CPU may use a stack ID as soon as its note
 * is written, in a fault that ended earlier. So notes of stacks are due at once.
 */
static uint64_t due_of(const union flt_stream_note *head)
{
	if (head->record.type == FLT_EVENT_STACK && !(head->stack.flags & FLT_STACK_ONCE))
		return 0;
	return head->path.time;
}

/* Make room for another note, in the free places at the start if there are enough. */
static int reserve(struct flt_stream_notes *n)
{
	size_t count = n->end - n->first, room = n->room ? 2 * n->room : FIRST_ROOM;
	struct flt_stream_held **held;

	if (n->first > count) {
		memcpy(n->held, n->held + n->first, count * sizeof(struct flt_stream_held *));
		n->first = 0;
		n->end = count;
		return 0;
	}
	held = reallocarray(n->held, room, sizeof(struct flt_stream_held *));
	if (!held)
		return -ENOMEM;
	n->held = held;
	n->room = room;
	return 0;
}

int flt_stream_notes_add(struct flt_stream_notes *n, struct flt_stream_held *held)
{
	int ret = 0;

	if (size_of(held->slot) > sizeof(*held->slot) * (held->wanted - 1))
		ret = -EBADMSG;
	else if (n->end == n->room)
		ret = reserve(n);
	if (ret) {
		free(held);
		return ret;
	}
	held->due = due_of(held->slot);
	n->disordered |= n->first < n->end && held->due < n->held[n->end - 1]->due;
	n->held[n->end++] = held;
	return 0;
}

int flt_stream_notes_order(struct flt_stream_notes *n)
{
	size_t count = n->end - n->first, i;
	struct flt_stream_held **held;
	struct flt_stream_due *due, *order;

	if (!n->disordered)
		return 0;
	due = reallocarray(NULL, count, 2 * sizeof(*due));
	held = reallocarray(NULL, n->room, sizeof(struct flt_stream_held *));
	if (!due || !held) {
		free(due);
		free(held);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++)
		due[i] = (struct flt_stream_due){ n->held[n->first + i]->due, n->first + i };
	order = flt_stream_order(due, due + count, count);
	for (i = 0; i < count; i++)
		held[i] = n->held[order[i].at];
	free(due);
	free(n->held);
	n->held = held;
	n->first = 0;
	n->end = count;
	n->disordered = false;
	return 0;
}

void flt_stream_notes_drop_first(struct flt_stream_notes *n)
{
	free(n->held[n->first++]);
}
