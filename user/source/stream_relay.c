// SPDX-License-Identifier: GPL-2.0-or-later
#include "clock.h"
#include "source/stream_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEBUGFS "/sys/kernel/debug/flt"
/*
 * Heads, records and what follows a note's head are slots of one size. What a note
 * left free at the end of a sub-buffer is not read: so a head is known by its type.
 */
#define UNIT sizeof(struct flt_event_record)
#define READ_UNITS 4096

/* A note that our buffer cut in two: its slots so far. */
struct part {
	union flt_stream_note *slot;
	size_t count, wanted;
};

struct cpu {
	int fd;
	uint64_t heads;		/* so far */
	uint64_t taken;		/* faults so far */
	uint64_t lost;		/* told by the last head */
	uint64_t last_time;	/* end of the last fault */
	struct part part;
};

/* What waits to be put in order. */
struct item {
	uint64_t time;		/* of the end, of a fault */
	uint64_t order;		/* in which it came, for those of the same time */
	union flt_stream_note head;
	void *bytes;		/* NULL: the head is all */
};

struct flt_stream_relay {
	char path[64];
	struct cpu *cpu;
	uint32_t cpus;
	struct item *held;
	size_t count, room;
	uint64_t order;
	uint64_t delivered;
	union flt_stream_note buffer[READ_UNITS];
};

_Static_assert(sizeof(struct flt_subbuf) == UNIT && sizeof(union flt_stream_note) == UNIT,
	       "heads and records are of one size");

static uint64_t end_of(const struct flt_event_record *r)
{
	return r->time + flt_event_latency(r);
}

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Opens files that are there and not yet open; a CPU without one was never up. */
static int find_cpus(struct flt_stream_relay *s, struct flt_errmsg *e)
{
	char path[96];
	uint32_t i;

	for (i = 0; i < s->cpus; i++) {
		struct cpu *c = &s->cpu[i];

		if (c->fd >= 0)
			continue;
		snprintf(path, sizeof(path), "%s/cpu%u", s->path, i);
		c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (c->fd < 0 && errno != ENOENT)
			return flt_errmsg_set(e, -errno, "cannot open %s: %s", path,
					      strerror(errno));
	}
	return 0;
}

int flt_stream_relay_open(struct flt_stream_relay **stream, uint32_t session,
			  struct flt_errmsg *e)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct flt_stream_relay *s;
	uint32_t i;
	int ret;

	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->cpus = cpus > 0 ? (uint32_t)cpus : 1;
	s->cpu = calloc(s->cpus, sizeof(*s->cpu));
	if (!s->cpu) {
		free(s);
		return -ENOMEM;
	}
	for (i = 0; i < s->cpus; i++)
		s->cpu[i].fd = -1;
	snprintf(s->path, sizeof(s->path), DEBUGFS "/session-%u", session);
	if (access(s->path, X_OK)) {
		ret = flt_errmsg_set(e, -errno, "cannot reach %s: %s; mount -t debugfs none "
				     "/sys/kernel/debug", s->path, strerror(errno));
		goto err;
	}
	ret = find_cpus(s, e);
	if (ret)
		goto err;
	*stream = s;
	return 0;
err:
	flt_stream_relay_close(s);
	return ret;
}

void flt_stream_relay_close(struct flt_stream_relay *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->cpus; i++) {
		if (s->cpu[i].fd >= 0)
			close(s->cpu[i].fd);
		free(s->cpu[i].part.slot);
	}
	for (i = 0; i < s->count; i++)
		free(s->held[i].bytes);
	free(s->cpu);
	free(s->held);
	free(s);
}

static int hold(struct flt_stream_relay *s, uint64_t time, const union flt_stream_note *head,
		void *bytes)
{
	struct item *grown;
	size_t room;

	if (s->count == s->room) {
		room = s->room ? 2 * s->room : READ_UNITS;
		grown = reallocarray(s->held, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		s->held = grown;
		s->room = room;
	}
	s->held[s->count++] = (struct item){ time, s->order++, *head, bytes };
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
	return gone ? sink->gap(sink->arg, cpu, gone, c->last_time, head.time) : 0;
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

/* The whole of it is in part; its bytes become the item's. */
static int hold_note(struct flt_stream_relay *s, uint32_t cpu, struct part *part,
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
	ret = hold(s, head.path.time, &head, bytes);
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

static int take_slot(struct flt_stream_relay *s, uint32_t cpu, const union flt_stream_note *slot,
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

static int take_slots(struct flt_stream_relay *s, uint32_t cpu, size_t count,
		      const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < count; i++)
		ret = take_slot(s, cpu, &s->buffer[i], sink, e);
	return ret;
}

static int read_cpu(struct flt_stream_relay *s, uint32_t cpu, const struct flt_stream_sink *sink,
		    struct flt_errmsg *e)
{
	ssize_t n;
	int ret;

	for (;;) {
		n = read(s->cpu[cpu].fd, s->buffer, sizeof(s->buffer));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return flt_errmsg_set(e, -errno, "cannot read %s/cpu%u: %s", s->path, cpu,
					      strerror(errno));
		if (n <= 0)
			return 0;
		if ((size_t)n % UNIT)
			return damaged(cpu, e);
		ret = take_slots(s, cpu, (size_t)n / UNIT, sink, e);
		if (ret)
			return ret;
	}
}

static int give(struct flt_stream_relay *s, struct item *item, const struct flt_stream_sink *sink)
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

int flt_stream_relay_read(struct flt_stream_relay *s, bool last,
			  const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	uint64_t horizon;
	size_t i;
	uint32_t cpu;
	int ret;

	horizon = flt_clock_ns(CLOCK_MONOTONIC) - FLT_STREAM_WINDOW_NS;
	ret = find_cpus(s, e);
	for (cpu = 0; !ret && cpu < s->cpus; cpu++)
		if (s->cpu[cpu].fd >= 0)
			ret = read_cpu(s, cpu, sink, e);
	if (ret)
		return ret;
	qsort(s->held, s->count, sizeof(*s->held), by_time);
	for (i = 0; !ret && i < s->count && (last || s->held[i].time <= horizon); i++)
		ret = give(s, &s->held[i], sink);
	memmove(s->held, s->held + i, (s->count - i) * sizeof(*s->held));
	s->count -= i;
	return ret;
}

void flt_stream_relay_count(const struct flt_stream_relay *s, uint64_t *delivered, uint64_t *lost)
{
	uint32_t i;

	*delivered = s->delivered;
	*lost = 0;
	for (i = 0; i < s->cpus; i++)
		*lost += s->cpu[i].lost;
}
