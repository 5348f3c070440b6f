// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream_slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Heads, records and what follows a note's head are slots of one size. What a note
 * left free at the end of a sub-buffer is not read: so a head is known by its type.
 */
#define UNIT sizeof(struct flt_event_record)
#define FIRST_ROOM 4096

/* A note that our buffer cut in two: its slots so far. */
struct part {
	union flt_stream_note *slot;
	size_t count, wanted;
};

struct cpu {
	uint64_t heads;		/* so far */
	uint64_t taken;		/* faults so far */
	uint64_t lost;		/* told by the last head */
	uint64_t last_time;	/* end of the last fault */
	struct part part;
};

/* What waits to be put in order. */
struct item {
	uint64_t time;		/* of the end, of a fault */
	union flt_stream_note head;
	void *bytes;		/* NULL: the head is all */
};

struct flt_slots {
	struct cpu *cpu;
	uint32_t cpus;
	struct item *held;
	struct item *spare;	/* of the same room, to put them in order */
	size_t count, room;
	uint64_t delivered;
};

_Static_assert(sizeof(struct flt_subbuf) == UNIT && sizeof(union flt_stream_note) == UNIT,
	       "heads and records are of one size");

static uint64_t end_of(const struct flt_event_record *r)
{
	return r->time + flt_event_latency(r);
}

int flt_slots_new(struct flt_slots **slots, uint32_t cpus)
{
	struct flt_slots *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->cpus = cpus;
	s->cpu = calloc(cpus, sizeof(*s->cpu));
	if (!s->cpu) {
		free(s);
		return -ENOMEM;
	}
	*slots = s;
	return 0;
}

void flt_slots_free(struct flt_slots *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->cpus; i++)
		free(s->cpu[i].part.slot);
	for (i = 0; i < s->count; i++)
		free(s->held[i].bytes);
	free(s->cpu);
	free(s->held);
	free(s->spare);
	free(s);
}

static int grow(struct flt_slots *s)
{
	size_t room = s->room ? 2 * s->room : FIRST_ROOM;
	struct item *held = reallocarray(s->held, room, sizeof(*held));
	struct item *spare;

	if (!held)
		return -ENOMEM;
	s->held = held;
	spare = reallocarray(s->spare, room, sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	s->spare = spare;
	s->room = room;
	return 0;
}

static int hold(struct flt_slots *s, uint64_t time, const union flt_stream_note *head,
		void *bytes)
{
	struct item *item;

	if (s->count == s->room && grow(s))
		return -ENOMEM;
	item = &s->held[s->count++];
	item->time = time;
	item->head = *head;
	item->bytes = bytes;
	return 0;
}

static int damaged(uint32_t cpu, struct flt_errmsg *e)
{
	return flt_errmsg_set(e, -EBADMSG, "the stream of CPU %u is damaged", cpu);
}

static int take_head(struct cpu *c, uint32_t cpu, const union flt_stream_note *slot,
		     const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	struct flt_subbuf head;
	uint64_t gone;

	memcpy(&head, slot, sizeof(head));
	if (head.magic != FLT_SUBBUF_MAGIC || head.cpu != cpu || head.sequence != c->heads ||
	    head.written != c->taken || head.lost_full < c->lost)
		return damaged(cpu, e);
	c->heads++;
	gone = head.lost_full - c->lost;
	c->lost = head.lost_full;
	return gone && sink->gap ? sink->gap(sink->arg, cpu, gone, c->last_time, head.time) : 0;
}

/* Bytes that the slots behind a note's head must have for what the head says. */
static size_t note_size(const union flt_stream_note *n)
{
	switch (n->record.type) {
	case FLT_EVENT_PATH:
		return n->path.length;
	case FLT_EVENT_AREA:
		return n->area.length;
	case FLT_EVENT_LIFE:
		return 16;
	case FLT_EVENT_STACK:
		return sizeof(uint64_t) * (size_t)n->stack.depth;
	case FLT_EVENT_SLICE:
		return sizeof(struct flt_event_registers) + (size_t)n->slice.length;
	default:
		return 0;
	}
}

/*
 * Another CPU may use a stack's ID as soon as its note is written, in a fault that
 * ended before the one it was written for: it has no place in time.
 */
static uint64_t due_of(const union flt_stream_note *n)
{
	if (n->record.type == FLT_EVENT_STACK && !(n->stack.flags & FLT_STACK_ONCE))
		return 0;
	return n->path.time;
}

/* The whole of it is in part; its bytes become the item's. */
static int hold_note(struct flt_slots *s, uint32_t cpu, struct part *part,
		     struct flt_errmsg *e)
{
	const union flt_stream_note head = part->slot[0];
	size_t size = UNIT * (part->wanted - 1);
	void *bytes = NULL;
	int ret;

	if (note_size(&head) > size)
		return damaged(cpu, e);
	if (size) {
		bytes = malloc(size);
		if (!bytes)
			return -ENOMEM;
		memcpy(bytes, part->slot + 1, size);
	}
	part->count = 0;
	ret = hold(s, due_of(&head), &head, bytes);
	if (ret)
		free(bytes);
	return ret;
}

static int begin_note(struct part *part, const union flt_stream_note *head)
{
	size_t wanted = 1 + (size_t)head->path.more;
	void *slot = reallocarray(part->slot, wanted, UNIT);

	if (!slot)
		return -ENOMEM;
	part->slot = slot;
	part->slot[0] = *head;
	part->count = 1;
	part->wanted = wanted;
	return 0;
}

static int take_slot(struct flt_slots *s, uint32_t cpu, const union flt_stream_note *slot,
		     const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	struct cpu *c = &s->cpu[cpu];
	struct part *part = &c->part;
	int ret;

	if (part->count) {
		part->slot[part->count++] = *slot;
		return part->count == part->wanted ? hold_note(s, cpu, part, e) : 0;
	}
	if (!slot->record.type)
		return take_head(c, cpu, slot, sink, e);
	if (!c->heads)
		return damaged(cpu, e);
	if (slot->record.type == FLT_EVENT_FAULT) {
		c->taken++;
		c->last_time = end_of(&slot->record);
		return hold(s, c->last_time, slot, NULL);
	}
	ret = begin_note(part, slot);
	if (!ret && part->wanted == 1)
		ret = hold_note(s, cpu, part, e);
	return ret;
}

int flt_slots_take(struct flt_slots *s, uint32_t cpu, const union flt_stream_note *slot,
		   size_t count, const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	size_t i;
	int ret = cpu < s->cpus ? 0 : damaged(cpu, e);

	for (i = 0; !ret && i < count; i++)
		ret = take_slot(s, cpu, &slot[i], sink, e);
	return ret;
}

static int give(struct flt_slots *s, struct item *item, const struct flt_stream_sink *sink)
{
	int ret = 0;

	if (item->head.record.type == FLT_EVENT_FAULT) {
		ret = sink->record(sink->arg, &item->head.record);
		s->delivered += !ret;
	} else if (sink->note) {
		ret = sink->note(sink->arg, &item->head, item->bytes);
	}
	free(item->bytes);
	item->bytes = NULL;
	return ret;
}

/* Where what lies in order from there ends. */
static size_t run_from(const struct item *item, size_t from, size_t count)
{
	size_t i = from < count ? from + 1 : count;

	while (i < count && item[i - 1].time <= item[i].time)
		i++;
	return i;
}

/* Two runs into one; of the same time, what came first stays first. */
static void merge(struct item *to, const struct item *a, const struct item *a_end,
		  const struct item *b, const struct item *b_end)
{
	while (a < a_end && b < b_end)
		*to++ = b->time < a->time ? *b++ : *a++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*to));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*to));
}

/* What came of one CPU is in order but for some notes: there are as many runs as CPUs. */
static void put_in_order(struct flt_slots *s)
{
	size_t from, middle, end;
	struct item *merged;

	while (run_from(s->held, 0, s->count) < s->count) {
		for (from = 0; from < s->count; from = end) {
			middle = run_from(s->held, from, s->count);
			end = run_from(s->held, middle, s->count);
			merge(s->spare + from, s->held + from, s->held + middle,
			      s->held + middle, s->held + end);
		}
		merged = s->spare;
		s->spare = s->held;
		s->held = merged;
	}
}

int flt_slots_give(struct flt_slots *s, uint64_t horizon, const struct flt_stream_sink *sink)
{
	size_t i;
	int ret = 0;

	if (!s->count)
		return 0;
	put_in_order(s);
	for (i = 0; !ret && i < s->count && s->held[i].time <= horizon; i++)
		ret = give(s, &s->held[i], sink);
	memmove(s->held, s->held + i, (s->count - i) * sizeof(*s->held));
	s->count -= i;
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

uint64_t flt_slots_last(const struct flt_slots *s, uint32_t cpu)
{
	return cpu < s->cpus ? s->cpu[cpu].last_time : 0;
}

void flt_slots_count(const struct flt_slots *s, uint64_t *delivered, uint64_t *lost)
{
	uint32_t i;

	*delivered = s->delivered;
	*lost = 0;
	for (i = 0; i < s->cpus; i++)
		*lost += s->cpu[i].lost;
}
