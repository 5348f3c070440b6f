// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/stream/merge.h"
#include "source/stream/notes.h"
#include "source/stream/queue.h"

/*
 * Sub-buffer heads, records, and the slots that follow a note's head have the same size. The
 * module does not send the unused end of a sub-buffer. So a head is recognized by its type, 0.
 */
#define UNIT sizeof(struct flt_event_record)

struct cpu {
	uint64_t heads;		/* sub-buffer heads taken */
	uint64_t taken;		/* faults taken */
	uint64_t lost;		/* faults lost, by the last head */
	uint64_t last_time;	/* end time of the last fault */
	struct flt_stream_held *part;	/* incomplete note, or NULL */
};

struct flt_slots {
	struct cpu *cpu;
	struct flt_stream_queue *queue;	/* one per CPU */
	uint32_t cpus;
	struct flt_stream_notes notes;	/* of all CPUs */
	struct flt_stream_merge *merge;
	uint64_t delivered;
};

_Static_assert(sizeof(struct flt_subbuf) == UNIT && sizeof(union flt_stream_note) == UNIT,
	       "heads and records have the same size");

int flt_slots_new(struct flt_slots **slots, uint32_t cpus)
{
	struct flt_slots *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->cpu = calloc(cpus, sizeof(*s->cpu));
	s->queue = calloc(cpus, sizeof(*s->queue));
	if (!s->cpu || !s->queue || flt_stream_merge_new(&s->merge, cpus)) {
		flt_slots_free(s);
		return -ENOMEM;
	}
	s->cpus = cpus;
	*slots = s;
	return 0;
}

void flt_slots_free(struct flt_slots *s)
{
	uint32_t i;

	if (!s)
		return;
	for (i = 0; i < s->cpus; i++) {
		free(s->cpu[i].part);
		flt_stream_queue_free(&s->queue[i]);
	}
	flt_stream_notes_free(&s->notes);
	flt_stream_merge_free(s->merge);
	free(s->queue);
	free(s->cpu);
	free(s);
}

static int damaged(uint32_t cpu, struct flt_errmsg *e)
{
	return flt_errmsg_set(e, -EBADMSG, "the stream of CPU %u is damaged", cpu);
}

static int take_head(struct cpu *c, uint32_t cpu, const union flt_stream_note *slot,
		     const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	struct flt_subbuf head;
	uint64_t lost;

	memcpy(&head, slot, sizeof(head));
	if (head.magic != FLT_SUBBUF_MAGIC || head.cpu != cpu || head.sequence != c->heads ||
	    head.written != c->taken || head.lost_full < c->lost)
		return damaged(cpu, e);
	c->heads++;
	lost = head.lost_full - c->lost;
	c->lost = head.lost_full;
	return lost && sink->gap ? sink->gap(sink->arg, cpu, lost, c->last_time, head.time) : 0;
}

/* Take the slots of a note, or a part of them. Set *taken to the number of slots. */
static int take_note(struct flt_slots *s, uint32_t cpu, const union flt_stream_note *slot,
		     size_t count, size_t *taken, struct flt_errmsg *e)
{
	struct cpu *c = &s->cpu[cpu];
	struct flt_stream_held *part = c->part;
	size_t n;
	int ret;

	*taken = 0;
	if (!part) {
		part = c->part = flt_stream_held_new(slot);
		if (!part)
			return -ENOMEM;
		*taken = 1;
	}
	n = part->wanted - part->count;
	if (n > count - *taken)
		n = count - *taken;
	memcpy(part->slot + part->count, slot + *taken, n * sizeof(*slot));
	part->count += n;
	*taken += n;
	if (part->count < part->wanted)
		return 0;
	c->part = NULL;
	ret = flt_stream_notes_add(&s->notes, part);
	return ret == -EBADMSG ? damaged(cpu, e) : ret;
}

static int take_faults(struct cpu *c, struct flt_stream_queue *queue, size_t count, size_t *taken)
{
	int ret = flt_stream_queue_faults(queue, count, taken);

	if (ret)
		return ret;
	c->taken += *taken;
	c->last_time = queue->last;
	return 0;
}

int flt_slots_room(struct flt_slots *s, uint32_t cpu, size_t count, union flt_stream_note **slot,
		   struct flt_errmsg *e)
{
	if (cpu >= s->cpus)
		return damaged(cpu, e);
	*slot = flt_stream_queue_room(&s->queue[cpu], count);
	return *slot ? 0 : -ENOMEM;
}

int flt_slots_take(struct flt_slots *s, uint32_t cpu, size_t count,
		   const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	struct flt_stream_queue *q = &s->queue[cpu];
	struct cpu *c = &s->cpu[cpu];
	const union flt_stream_note *slot;
	size_t taken;
	int ret = 0;

	for (; !ret && count; count -= taken) {
		slot = q->slot + q->count;
		taken = 1;
		if (!c->part && c->heads && slot->record.type == FLT_EVENT_FAULT) {
			ret = take_faults(c, q, count, &taken);
			continue;
		}
		if (!c->part && !slot->record.type)
			ret = take_head(c, cpu, slot, sink, e);
		else if (!c->heads)
			ret = damaged(cpu, e);
		else
			ret = take_note(s, cpu, slot, count, &taken, e);
		flt_stream_queue_skip(q, taken);
	}
	return ret;
}

static int sort_all(struct flt_slots *s)
{
	uint32_t i;
	int ret = flt_stream_notes_order(&s->notes);

	for (i = 0; !ret && i < s->cpus; i++)
		ret = flt_stream_queue_order(&s->queue[i]);
	return ret;
}

/* Deliver all faults that ended before the note, then the note. */
static int give_note(struct flt_slots *s, const struct flt_stream_held *note,
		     const struct flt_stream_sink *sink)
{
	int ret = 0;

	if (note->due)
		ret = flt_stream_merge_run(s->merge, note->due - 1, sink, &s->delivered);
	if (ret)
		return ret;
	if (sink->note)
		ret = sink->note(sink->arg, note->slot, note->wanted > 1 ? note->slot + 1 : NULL);
	flt_stream_notes_drop_first(&s->notes);
	return ret;
}

int flt_slots_give(struct flt_slots *s, uint64_t horizon, const struct flt_stream_sink *sink)
{
	const struct flt_stream_held *note;
	int ret = sort_all(s);

	if (ret)
		return ret;
	flt_stream_merge_begin(s->merge, s->queue, s->cpus);
	while (!ret && (note = flt_stream_notes_first(&s->notes)) && note->due <= horizon)
		ret = give_note(s, note, sink);
	if (!ret)
		ret = flt_stream_merge_run(s->merge, horizon, sink, &s->delivered);
	flt_stream_merge_end(s->merge);
	return ret;
}

uint64_t flt_slots_taken(const struct flt_slots *s)
{
	uint64_t taken = 0;
	uint32_t i;

	for (i = 0; i < s->cpus; i++)
		taken += s->cpu[i].taken;
	return taken;
}

void flt_slots_count(const struct flt_slots *s, uint64_t *delivered, uint64_t *lost)
{
	uint32_t i;

	*delivered = s->delivered;
	*lost = 0;
	for (i = 0; i < s->cpus; i++)
		*lost += s->cpu[i].lost;
}
