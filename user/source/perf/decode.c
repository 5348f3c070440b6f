// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of perf's rings, as perf_stream.c asks for them, into events. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "source/perf/event.h"

/* PERF_SAMPLE_IDENTIFIER | IP | TID | TIME | ADDR | CPU, in the order of the ABI. */
struct sample_head {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time, address;
	uint32_t cpu, reserved;
};

/* What sample_id_all puts behind every other record. */
struct record_tail {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct mmap2_body {
	uint32_t pid, tid;
	uint64_t start, length, offset;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
};

struct task_body {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

static const void *body_of(const struct perf_event_header *record, size_t least)
{
	if (record->size < sizeof(*record) + least + sizeof(struct record_tail))
		return NULL;
	return record + 1;
}

static const struct record_tail *tail_of(const struct perf_event_header *record)
{
	return (const void *)((const char *)record + record->size - sizeof(struct record_tail));
}

/* A string between the body and the tail; NULL if it does not end there. */
static const char *text_of(const struct perf_event_header *record, size_t body)
{
	const char *text = (const char *)(record + 1) + body;
	const char *end = (const char *)tail_of(record);

	return text < end && memchr(text, '\0', (size_t)(end - text)) ? text : NULL;
}

uint64_t flt_perf_record_time(const struct perf_event_header *record)
{
	if (record->type == PERF_RECORD_SAMPLE)
		return record->size >= sizeof(struct sample_head) ? ((const struct sample_head *)record)->time : 0;
	return body_of(record, 0) ? tail_of(record)->time : 0;
}

static void chain_decode(const struct flt_perf_layout *layout, const uint64_t *chain, uint64_t n,
			 struct flt_perf_event *event)
{
	uint64_t i;

	/* The chain of user space stands behind its marker, beginning with the ip. */
	for (i = 0; i < n && chain[i] != (uint64_t)PERF_CONTEXT_USER; i++)
		;
	if (i + 1 >= n)
		return;
	event->ip = chain[i + 1];
	event->callers = chain + i + 2;
	for (i += 2; i < n && chain[i] < (uint64_t)PERF_CONTEXT_MAX; i++)
		event->caller_count++;
	event->cut = event->caller_count + 1 >= layout->max_stack;
}

/* REGS_USER: abi, registers; STACK_USER: size, bytes, how many of them are good. */
static int stack_decode(const uint64_t *at, size_t room, struct flt_perf_event *event)
{
	uint64_t size;

	if (!room)
		return -EBADMSG;
	if (at[0]) {
		if (room < 2 + FLT_PERF_REG_COUNT)
			return -EBADMSG;
		event->regs = at + 1;
		at += FLT_PERF_REG_COUNT;
		room -= FLT_PERF_REG_COUNT;
	}
	at++;
	room--;
	if (!room)
		return -EBADMSG;
	size = *at++;
	room--;
	if (!size)
		return 1;
	if (size % 8 || size / 8 >= room)
		return -EBADMSG;
	event->stack = at;
	event->stack_size = at[size / 8] < size ? (size_t)at[size / 8] : (size_t)size;
	return 1;
}

static int sample_decode(const struct flt_perf_layout *layout, const struct perf_event_header *record,
			 struct flt_perf_event *event)
{
	const struct sample_head *s = (const void *)record;
	const uint64_t *n = (const void *)(s + 1);
	size_t i, room;

	if (record->size < sizeof(*s))
		return -EBADMSG;
	event->type = FLT_PERF_FAULT;
	event->pid = s->pid;
	event->tid = s->tid;
	event->time = s->time;
	event->cpu = s->cpu;
	event->address = s->address;
	event->kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
	event->ip = event->kernel ? 0 : s->ip;
	for (i = 0; i < layout->major_id_count; i++)
		event->major |= layout->major_ids[i] == s->id;
	if (layout->stacks && layout->dwarf)
		return stack_decode(n, (record->size - sizeof(*s)) / 8, event);
	if (layout->stacks) {
		room = (record->size - sizeof(*s)) / 8;
		if (!room || *n > room - 1)
			return -EBADMSG;
		chain_decode(layout, n + 1, *n, event);
	}
	return 1;
}

static int mmap2_decode(const struct perf_event_header *record, struct flt_perf_event *event)
{
	const struct mmap2_body *m = body_of(record, sizeof(*m));

	if (!m)
		return -EBADMSG;
	event->type = FLT_PERF_MAP;
	event->pid = m->pid;
	event->tid = m->tid;
	event->start = m->start;
	event->length = m->length;
	event->offset = m->offset;
	event->prot = m->prot;
	event->flags = m->flags;
	if (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		event->build_id = m->build_id;
		event->build_id_size = m->build_id_size <= sizeof(m->build_id) ? m->build_id_size : 0;
	} else {
		event->device = m->major << 20 | (m->minor & 0xfffff);
		event->inode = m->inode;
	}
	event->name = text_of(record, sizeof(*m));
	return event->name && m->length ? 1 : -EBADMSG;
}

static int task_decode(const struct perf_event_header *record, struct flt_perf_event *event)
{
	const struct task_body *t = body_of(record, sizeof(*t));

	if (!t)
		return -EBADMSG;
	event->type = record->type == PERF_RECORD_FORK ? FLT_PERF_FORK : FLT_PERF_EXIT;
	event->pid = t->pid;
	event->tid = t->tid;
	event->ppid = t->ppid;
	event->ptid = t->ptid;
	return 1;
}

static int comm_decode(const struct perf_event_header *record, struct flt_perf_event *event)
{
	const uint32_t *ids = body_of(record, 8);

	if (!ids)
		return -EBADMSG;
	event->type = record->misc & PERF_RECORD_MISC_COMM_EXEC ? FLT_PERF_EXEC : FLT_PERF_COMM;
	event->pid = ids[0];
	event->tid = ids[1];
	event->name = text_of(record, 8);
	return event->name ? 1 : -EBADMSG;
}

static int lost_decode(const struct perf_event_header *record, struct flt_perf_event *event)
{
	const uint64_t *body = body_of(record, record->type == PERF_RECORD_LOST ? 16 : 8);

	if (!body)
		return -EBADMSG;
	event->type = FLT_PERF_LOST;
	event->lost = record->type == PERF_RECORD_LOST ? body[1] : body[0];
	return 1;
}

int flt_perf_decode(const struct flt_perf_layout *layout, const struct perf_event_header *record,
		    struct flt_perf_event *event)
{
	memset(event, 0, sizeof(*event));
	if (record->type == PERF_RECORD_SAMPLE)
		return sample_decode(layout, record, event);
	if (!body_of(record, 0))
		return -EBADMSG;
	event->time = tail_of(record)->time;
	event->cpu = tail_of(record)->cpu;
	switch (record->type) {
	case PERF_RECORD_MMAP2:
		return mmap2_decode(record, event);
	case PERF_RECORD_COMM:
		return comm_decode(record, event);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return task_decode(record, event);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return lost_decode(record, event);
	default:
		return 0;
	}
}
