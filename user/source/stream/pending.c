// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/pending.h"

#include <errno.h>
#include <stdlib.h>

#define CHAINS 1024u
#define WAITING_MAX 4096u

struct held {
	struct held *next;
	uint64_t time;
	uint32_t tid;
	_Alignas(max_align_t) unsigned char bytes[];
};

struct flt_stream_pending {
	struct held *chain[CHAINS];	/* hash by tid */
	struct held *last_returned;
	uint32_t count;
};

int flt_stream_pending_new(struct flt_stream_pending **pending)
{
	*pending = calloc(1, sizeof(**pending));
	return *pending ? 0 : -ENOMEM;
}

static void drop_all(struct flt_stream_pending *p)
{
	struct held *held;
	size_t i;

	for (i = 0; i < CHAINS; i++)
		while ((held = p->chain[i])) {
			p->chain[i] = held->next;
			free(held);
		}
	p->count = 0;
}

void flt_stream_pending_free(struct flt_stream_pending *p)
{
	if (!p)
		return;
	drop_all(p);
	free(p->last_returned);
	free(p);
}

void *flt_stream_pending_add(struct flt_stream_pending *p, uint32_t tid, uint64_t time,
			     size_t size)
{
	struct held *held;

	if (p->count == WAITING_MAX)
		drop_all(p);
	held = malloc(sizeof(*held) + size);
	if (!held)
		return NULL;
	held->time = time;
	held->tid = tid;
	held->next = p->chain[tid % CHAINS];
	p->chain[tid % CHAINS] = held;
	p->count++;
	return held->bytes;
}

/* Take what is held for a fault. Drop what earlier faults of its thread left: they were lost. */
static struct held *take(struct flt_stream_pending *p, const struct flt_fault *f)
{
	struct held **at = &p->chain[f->tid % CHAINS], *held, *taken = NULL;

	while ((held = *at)) {
		if (held->tid != f->tid || held->time > f->time) {
			at = &held->next;
			continue;
		}
		*at = held->next;
		p->count--;
		if (held->time == f->time && !taken)
			taken = held;
		else
			free(held);
	}
	return taken;
}

const void *flt_stream_pending_of(struct flt_stream_pending *p, const struct flt_fault *f)
{
	free(p->last_returned);
	p->last_returned = take(p, f);
	return p->last_returned ? p->last_returned->bytes : NULL;
}
