// SPDX-License-Identifier: GPL-2.0-or-later
/* Decode records of the events that stream.c opens. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "recent.h"
#include "source/perf/event.h"

/* PERF_SAMPLE_IDENTIFIER | IP | TID | TIME | ADDR | CPU, in the order of the ABI. */
struct sample_head {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time, address;
	uint32_t cpu, reserved;
};

/* sample_id_all adds this tail to every record that is not a sample. */
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
			uint8_t build_id[FLT_BUILD_ID_MAX];
		};
	};
	uint32_t prot, flags;
};

/* perf does not report the exit status. */
#define NO_STATUS (~0u)

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

/* Return the string between body and tail, or NULL if it is not terminated. */
static const char *text_of(const struct perf_event_header *record, size_t body)
{
	const char *text = (const char *)(record + 1) + body;
	const char *end = (const char *)tail_of(record);

	return text < end && memchr(text, '\0', (size_t)(end - text)) ? text : NULL;
}

uint64_t flt_perf_record_time(const struct perf_event_header *record)
{
	const struct sample_head *sample = (const void *)record;

	if (record->type == PERF_RECORD_SAMPLE)
		return record->size >= sizeof(*sample) ? sample->time : 0;
	return body_of(record, 0) ? tail_of(record)->time : 0;
}

static int decode_chain(const struct flt_perf_layout *layout, const uint64_t *at, size_t room,
			struct flt_perf_event *event)
{
	const uint64_t *chain = at + 1;
	uint64_t n, i;

	if (!room || at[0] > room - 1)
		return -EBADMSG;
	n = at[0];
	/* The user frames follow a marker and begin with the instruction. */
	for (i = 0; i < n && chain[i] != (uint64_t)PERF_CONTEXT_USER; i++)
		;
	if (i + 1 >= n)
		return 1;
	event->frames = chain + i + 1;
	event->fault.ip = event->frames[0];
	event->frame_count = 1;
	for (i += 2; i < n && chain[i] < (uint64_t)PERF_CONTEXT_MAX; i++)
		event->frame_count++;
	event->cut = event->frame_count >= layout->max_stack;
	return 1;
}

/* Put registers in the order of FLT_PERF_REGS, lowest bit first, into the order of DWARF. */
static void decode_registers(uint64_t regs[FLT_UNWIND_REGS], const uint64_t *perf)
{
#ifdef __aarch64__
	memcpy(regs, perf, FLT_UNWIND_REGS * sizeof(*regs));	/* equal there */
#else
	static const unsigned char from[FLT_UNWIND_REGS] = {
		0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8,
	};
	size_t i;

	for (i = 0; i < FLT_UNWIND_REGS; i++)
		regs[i] = perf[from[i]];
#endif
}

/*
 * Decode REGS_USER (the ABI, which is 0 for kernel threads, then registers) and STACK_USER (the
 * size, the bytes, and the number of valid bytes).
 */
static int decode_stack(const uint64_t *at, size_t room, struct flt_perf_event *event)
{
	uint64_t size;

	if (!room)
		return -EBADMSG;
	if (at[0]) {
		if (room < 2 + FLT_UNWIND_REGS)
			return -EBADMSG;
		decode_registers(event->sample.regs, at + 1);
		event->fault.ip = event->sample.regs[FLT_UNWIND_IP];
		event->sampled = true;
		at += FLT_UNWIND_REGS;
		room -= FLT_UNWIND_REGS;
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
	event->sample.stack = at;
	event->sample.size = at[size / 8] < size ? (size_t)at[size / 8] : (size_t)size;
	return 1;
}

static int decode_sample(const struct flt_perf_layout *layout,
			 const struct perf_event_header *record, struct flt_perf_event *event)
{
	const struct sample_head *s = (const void *)record;
	const uint64_t *at = (const void *)(s + 1);
	struct flt_fault *f = &event->fault;
	size_t i, room;

	if (record->size < sizeof(*s))
		return -EBADMSG;
	event->type = FLT_PERF_FAULT;
	event->pid = s->pid;
	event->tid = s->tid;
	event->time = s->time;
	*f = (struct flt_fault){
		.time = s->time, .address = s->address, .pid = s->pid, .tid = s->tid, .weight = 1,
		.pages = 1, .cpu = (uint16_t)s->cpu,
	};
	if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
		f->ip = s->ip;
	else
		f->flags |= FLT_FAULT_KERNEL;
	for (i = 0; i < layout->major_id_count; i++)
		if (layout->major_ids[i] == s->id)
			f->flags |= FLT_FAULT_MAJOR;
	room = (record->size - sizeof(*s)) / 8;
	if (!layout->stacks)
		return 1;
	return layout->dwarf ? decode_stack(at, room, event) :
	       decode_chain(layout, at, room, event);
}

static uint32_t map_flags(const struct mmap2_body *m)
{
	return (m->prot & PROT_READ ? FLT_MAP_READ : 0) |
	       (m->prot & PROT_WRITE ? FLT_MAP_WRITE : 0) |
	       (m->prot & PROT_EXEC ? FLT_MAP_EXEC : 0) |
	       (m->flags & MAP_SHARED ? FLT_MAP_SHARED : 0);
}

static int decode_mmap2(const struct perf_event_header *record, struct flt_perf_event *event)
{
	const struct mmap2_body *m = body_of(record, sizeof(*m));
	struct flt_record_map *map = &event->map;

	if (!m)
		return -EBADMSG;
	event->type = FLT_PERF_MAP;
	event->pid = m->pid;
	event->tid = m->tid;
	*map = (struct flt_record_map){
		.head = { .type = FLT_RECORD_MAP, .time = event->time },
		.start = m->start, .end = m->start + m->length, .offset = m->offset,
		.flags = map_flags(m),
	};
	if (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		if (m->build_id_size <= sizeof(m->build_id))
			map->build_id_size = m->build_id_size;
		memcpy(map->build_id, m->build_id, map->build_id_size);
	} else {
		map->device = m->major << 20 | (m->minor & 0xfffff);
		map->inode = m->inode;
	}
	event->name = text_of(record, sizeof(*m));
	if (!event->name || !m->length)
		return -EBADMSG;
	if (!strcmp(event->name, "//anon"))
		event->name = "";
	return 1;
}

static int decode_task(const struct perf_event_header *record, struct flt_perf_event *event)
{
	const struct task_body *t = body_of(record, sizeof(*t));
	bool fork = record->type == PERF_RECORD_FORK;

	if (!t)
		return -EBADMSG;
	event->type = FLT_PERF_LIFE;
	event->pid = t->pid;
	event->tid = t->tid;
	event->life = (struct flt_event_life){
		.time = event->time, .what = fork ? FLT_LIFE_FORK : FLT_LIFE_EXIT,
		.tgid = t->pid, .tid = t->tid, .parent_tgid = t->ppid, .parent_tid = t->ptid,
		.code = fork ? 0 : NO_STATUS,
	};
	return 1;
}

static int decode_comm(const struct perf_event_header *record, struct flt_perf_event *event)
{
	const uint32_t *ids = body_of(record, 8);

	if (!ids)
		return -EBADMSG;
	event->type = FLT_PERF_COMM;
	event->pid = ids[0];
	event->tid = ids[1];
	event->name = text_of(record, 8);
	if (record->misc & PERF_RECORD_MISC_COMM_EXEC) {
		event->type = FLT_PERF_LIFE;
		event->life = (struct flt_event_life){
			.time = event->time, .what = FLT_LIFE_EXEC, .tgid = ids[0], .tid = ids[1],
		};
	}
	return event->name ? 1 : -EBADMSG;
}

static int decode_lost(const struct perf_event_header *record, struct flt_perf_event *event)
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
		return decode_sample(layout, record, event);
	if (!body_of(record, 0))
		return -EBADMSG;
	event->time = tail_of(record)->time;
	switch (record->type) {
	case PERF_RECORD_MMAP2:
		return decode_mmap2(record, event);
	case PERF_RECORD_COMM:
		return decode_comm(record, event);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return decode_task(record, event);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return decode_lost(record, event);
	default:
		return 0;
	}
}
