// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/slices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 1024u
/* Limit of waiting slices. Slices whose faults were lost would stay forever. */
#define WAITING_MAX 4096u

struct flt_stream_slices {
	struct flt_stream_slice *chain[CHAINS];	/* hash by tid; one slice per tid */
	struct flt_stream_slice *last_returned;
	uint32_t count;
};

int flt_stream_slices_new(struct flt_stream_slices **slices)
{
	*slices = calloc(1, sizeof(**slices));
	return *slices ? 0 : -ENOMEM;
}

static void drop_all(struct flt_stream_slices *s)
{
	struct flt_stream_slice *slice;
	size_t i;

	for (i = 0; i < CHAINS; i++)
		while ((slice = s->chain[i])) {
			s->chain[i] = slice->next;
			free(slice);
		}
	s->count = 0;
}

void flt_stream_slices_free(struct flt_stream_slices *s)
{
	if (!s)
		return;
	drop_all(s);
	free(s->last_returned);
	free(s);
}

static struct flt_stream_slice *take(struct flt_stream_slices *s, uint32_t tid)
{
	struct flt_stream_slice **at = &s->chain[tid % CHAINS], *slice;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	slice = *at;
	if (slice) {
		*at = slice->next;
		s->count--;
	}
	return slice;
}

int flt_stream_slices_add(struct flt_stream_slices *s, const struct flt_event_slice *note,
			  const void *bytes)
{
	struct flt_stream_slice *slice;

	free(take(s, note->tid));
	if (s->count == WAITING_MAX)
		drop_all(s);
	slice = malloc(sizeof(*slice) + note->length);
	if (!slice)
		return -ENOMEM;
	*slice = (struct flt_stream_slice){
		.time = note->time,
		.sp = note->sp,
		.tid = note->tid,
		.length = note->length,
		.next = s->chain[note->tid % CHAINS],
	};
	memcpy(&slice->registers, bytes, sizeof(slice->registers));
	memcpy(slice->bytes, (const char *)bytes + sizeof(slice->registers), note->length);
	s->chain[note->tid % CHAINS] = slice;
	s->count++;
	return 0;
}

const struct flt_stream_slice *flt_stream_slices_of(struct flt_stream_slices *s,
						    const struct flt_fault *f)
{
	free(s->last_returned);
	s->last_returned = take(s, f->tid);
	return s->last_returned && s->last_returned->time == f->time ? s->last_returned : NULL;
}
