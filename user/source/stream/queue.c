// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/stream/order.h"

#define FIRST_ROOM 4096
#define FIRST_RUNS 16

void flt_stream_queue_free(struct flt_stream_queue *q)
{
	free(q->slot);
	free(q->run);
}

/* Move the waiting slots to the start of the buffer if that frees at least as many slots. */
static void move_down(struct flt_stream_queue *q)
{
	size_t from = flt_stream_queue_empty(q) ? q->count : q->run[q->first_run].first;
	size_t i;

	if (from < q->count - from)
		return;
	if (q->count > from)
		memcpy(q->slot, q->slot + from, (q->count - from) * sizeof(*q->slot));
	q->count -= from;
	for (i = q->first_run; i < q->runs; i++) {
		q->run[i].first -= from;
		q->run[i].end -= from;
	}
}

union flt_stream_note *flt_stream_queue_room(struct flt_stream_queue *q, size_t count)
{
	size_t room = q->room ? q->room : FIRST_ROOM;
	union flt_stream_note *slot;

	if (flt_stream_queue_empty(q))
		q->count = 0;
	if (q->count + count > q->room)
		move_down(q);
	while (q->count + count > room)
		room *= 2;
	if (room != q->room) {
		slot = reallocarray(q->slot, room, sizeof(*slot));
		if (!slot)
			return NULL;
		q->slot = slot;
		q->room = room;
	}
	return q->slot + q->count;
}

/* Add an empty run at the next free slot. */
static int add_run(struct flt_stream_queue *q)
{
	size_t waiting = q->runs - q->first_run, room = q->run_room ? 2 * q->run_room : FIRST_RUNS;
	struct flt_stream_run *run;

	if (waiting < q->first_run) {
		memcpy(q->run, q->run + q->first_run, waiting * sizeof(*q->run));
		q->runs = waiting;
		q->first_run = 0;
	}
	if (q->runs == q->run_room) {
		run = reallocarray(q->run, room, sizeof(*run));
		if (!run)
			return -ENOMEM;
		q->run = run;
		q->run_room = room;
	}
	q->run[q->runs++] = (struct flt_stream_run){ q->count, q->count };
	return 0;
}

int flt_stream_queue_faults(struct flt_stream_queue *q, size_t count, size_t *taken)
{
	const union flt_stream_note *slot = q->slot + q->count, *at, *end = slot + count;
	uint64_t before = q->last, ended;
	bool disordered = false;
	int ret;

	*taken = 0;
	if (flt_stream_queue_empty(q))
		before = 0;
	if (flt_stream_queue_empty(q) || q->run[q->runs - 1].end < q->count) {
		ret = add_run(q);
		if (ret)
			return ret;
	}
	for (at = slot; at < end && at->record.type == FLT_EVENT_FAULT; at++) {
		ended = flt_stream_queue_end(&at->record);
		if (ended < before)
			disordered = true;
		before = ended;
	}
	*taken = (size_t)(at - slot);
	q->count += *taken;
	q->run[q->runs - 1].end = q->count;
	q->last = before;
	q->disordered |= disordered;
	return 0;
}

static size_t waiting_in(const struct flt_stream_queue *q)
{
	size_t count = 0, i;

	for (i = q->first_run; i < q->runs; i++)
		count += q->run[i].end - q->run[i].first;
	return count;
}

static void list_all(const struct flt_stream_queue *q, struct flt_stream_due *due)
{
	const struct flt_stream_run *run;
	size_t i;

	for (run = q->run + q->first_run; run < q->run + q->runs; run++)
		for (i = run->first; i < run->end; i++) {
			due->time = flt_stream_queue_end(&q->slot[i].record);
			due++->at = i;
		}
}

int flt_stream_queue_order(struct flt_stream_queue *q)
{
	struct flt_stream_due *due, *order;
	union flt_stream_note *slot;
	size_t count, i;

	if (!q->disordered || flt_stream_queue_empty(q)) {
		q->disordered = false;
		return 0;
	}
	count = waiting_in(q);
	due = reallocarray(NULL, count, 2 * sizeof(*due));
	slot = reallocarray(NULL, q->room, sizeof(*slot));
	if (!due || !slot) {
		free(due);
		free(slot);
		return -ENOMEM;
	}
	list_all(q, due);
	order = flt_stream_order(due, due + count, count);
	for (i = 0; i < count; i++)
		slot[i] = q->slot[order[i].at];
	q->last = order[count - 1].time;
	free(due);
	free(q->slot);
	q->slot = slot;
	q->count = count;
	q->run[0] = (struct flt_stream_run){ 0, count };
	q->first_run = 0;
	q->runs = 1;
	q->disordered = false;
	return 0;
}
