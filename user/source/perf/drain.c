// SPDX-License-Identifier: GPL-2.0-or-later
/* Read the rings of all CPUs and merge their records by time. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "source/perf/grace.h"
#include "source/perf/sampler.h"
#include "source/perf/stream.h"

/*
 * Bytes of records that were copied from the rings and not handed over yet. If there are more, each
 * ring still gives its oldest records, at least RING_LEAST bytes: the longest record.
 */
#ifndef PENDING_MAX	/* tests/unit/perf_drain.c */
#define PENDING_MAX (256u << 20)
#define RING_LEAST (64u << 10)
#endif

static int pending_add(struct flt_sampler *p, const struct flt_perf_ring *ring, uint64_t at,
		       size_t size)
{
	size_t room, first;
	unsigned char *pending;

	if (!size)
		return 0;
	if (p->pending_size + size > p->pending_room) {
		room = p->pending_room ? p->pending_room * 2 : 1u << 20;
		while (room < p->pending_size + size)
			room *= 2;
		pending = realloc(p->pending, room);
		if (!pending)
			return -ENOMEM;
		p->pending = pending;
		p->pending_room = room;
	}
	at &= ring->size - 1;
	first = ring->size - at < size ? ring->size - at : size;
	memcpy(p->pending + p->pending_size, ring->data + at, first);
	memcpy(p->pending + p->pending_size + first, ring->data, size - first);
	p->pending_size += size;
	return 0;
}

/* Return the bytes of the whole records from `at` on, at most `most`. */
static size_t whole_records(const struct flt_perf_ring *ring, uint64_t at, size_t most)
{
	const struct perf_event_header *record;
	size_t size = 0;

	for (;;) {
		/* Records begin at multiples of 8, so the head of a record never wraps. */
		record = (const void *)(ring->data + ((at + size) & (ring->size - 1)));
		if (record->size < sizeof(*record) || size + record->size > most)
			return size;
		size += record->size;
	}
}

/* Return the time of the last pending record from `from` on that has one, or 0. */
static uint64_t last_time(const struct flt_sampler *p, size_t from)
{
	const struct perf_event_header *record;
	uint64_t time = 0, own;
	size_t at;

	for (at = from; at < p->pending_size; at += record->size) {
		record = (const void *)(p->pending + at);
		own = flt_perf_record_time(record);
		time = own ? own : time;
	}
	return time;
}

/*
 * Take the records of a ring, the oldest `most` bytes. If some stay, events after the last one that
 * was taken must wait for them: lower *until to its time.
 */
static int ring_take(struct flt_sampler *p, struct flt_perf_ring *ring, size_t most,
		     uint64_t *until)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), last;
	uint64_t tail = ring->page->data_tail;
	const size_t from = p->pending_size;
	size_t size = head - tail;
	bool cut = size > most;
	int err;

	if (cut)
		size = whole_records(ring, tail, most);
	err = pending_add(p, ring, tail, size);
	if (err)
		return err;
	__atomic_store_n(&ring->page->data_tail, tail + size, __ATOMIC_RELEASE);
	last = cut ? last_time(p, from) : *until;
	if (last < *until)
		*until = last;
	return 0;
}

/* Take the records of all rings. *until: the events up to this time are complete. */
static int rings_take(struct flt_sampler *p, uint64_t *until)
{
	size_t i, share;
	int err = 0;

	for (i = 0; !err && i < p->ring_count; i++) {
		if (!p->rings[i].page)
			continue;
		share = p->pending_size < PENDING_MAX ?
			(PENDING_MAX - p->pending_size) / (p->ring_count - i) : 0;
		err = ring_take(p, &p->rings[i], share > RING_LEAST ? share : RING_LEAST, until);
	}
	return err;
}

struct entry {
	uint64_t time;
	const struct perf_event_header *record;
};

/* Compare by time, then by order of arrival, which is the order in memory. */
static int entry_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

/* Index the pending records. A record without a time gets the time of the one before. */
static int pending_index(struct flt_sampler *p, struct entry **entries, size_t *count)
{
	const struct perf_event_header *record;
	struct entry *list = NULL, *more;
	size_t at = 0, n = 0, room = 0;
	uint64_t time = 0, own;

	while (at + sizeof(*record) <= p->pending_size) {
		record = (const void *)(p->pending + at);
		if (record->size < sizeof(*record) || record->size % 8 ||
		    record->size > p->pending_size - at)
			break;
		if (n == room) {
			room = room ? room * 2 : 4096;
			more = reallocarray(list, room, sizeof(*list));
			if (!more) {
				free(list);
				return -ENOMEM;
			}
			list = more;
		}
		own = flt_perf_record_time(record);
		time = own ? own : time;
		list[n++] = (struct entry){ time, record };
		at += record->size;
	}
	if (n)
		qsort(list, n, sizeof(*list), entry_order);
	*entries = list;
	*count = n;
	return 0;
}

/* Keep the records of entries from `from` on for the next round. */
static int pending_keep(struct flt_sampler *p, const struct entry *entries, size_t from,
			size_t count)
{
	unsigned char *kept;
	size_t size = 0, i;

	if (from == count) {
		p->pending_size = 0;
		return 0;
	}
	kept = malloc(p->pending_room);
	if (!kept)
		return -ENOMEM;
	for (i = from; i < count; i++) {
		memcpy(kept + size, entries[i].record, entries[i].record->size);
		size += entries[i].record->size;
	}
	free(p->pending);
	p->pending = kept;
	p->pending_size = size;
	return 0;
}

/* Hand over the pending events up to a time. */
static int hand_over(struct flt_sampler *p, uint64_t until, flt_perf_fn fn, void *arg)
{
	struct flt_perf_event event;
	struct entry *entries;
	size_t count, i;
	int err = pending_index(p, &entries, &count);

	if (err)
		return err;
	for (i = 0; i < count && entries[i].time <= until; i++) {
		err = flt_perf_decode(&p->layout, entries[i].record, &event);
		if (err == 1)
			err = fn(arg, &event);
		if (err)
			break;
	}
	if (!err)
		err = pending_keep(p, entries, i, count);
	free(entries);
	return err;
}

static int drain_all(struct flt_sampler *p, flt_perf_fn fn, void *arg)
{
	uint64_t until;
	int err;

	flt_grace_wait();
	do {
		until = UINT64_MAX;
		err = rings_take(p, &until);
		if (!err)
			err = hand_over(p, until, fn, arg);
	} while (!err && until != UINT64_MAX);
	return err;
}

int flt_sampler_drain(struct flt_sampler *p, bool all, flt_perf_fn fn, void *arg)
{
	/* Before the rings are read. */
	uint64_t until = all ? 0 : flt_grace_horizon(p->grace);
	int err;

	if (all)
		return drain_all(p, fn, arg);
	err = rings_take(p, &until);
	/* Sort when there is something to hand over, not whenever an event has arrived. */
	if (err || until == p->until)
		return err;
	p->until = until;
	return hand_over(p, until, fn, arg);
}
