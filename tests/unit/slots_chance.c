// SPDX-License-Identifier: GPL-2.0-or-later
/* Test random slots of several CPUs: compare with a sort, and exceed the buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "source/stream/slots.h"

#define CPUS 5
#define LINES 64

static uint64_t state = 88172645463325252ull;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void put(struct flt_slots *slots, uint32_t cpu, const void *from, size_t count)
{
	const struct flt_stream_sink none = { .arg = NULL };
	union flt_stream_note *room;
	struct flt_errmsg e;

	assert_int_equal(flt_slots_room(slots, cpu, count, &room, &e), 0);
	memcpy(room, from, count * sizeof(*room));
	assert_int_equal(flt_slots_take(slots, cpu, count, &none, &e), 0);
}

static struct flt_slots *begin(void)
{
	struct flt_slots *slots;
	uint32_t cpu;

	assert_int_equal(flt_slots_new(&slots, CPUS), 0);
	for (cpu = 0; cpu < CPUS; cpu++) {
		const struct flt_subbuf head = { .magic = FLT_SUBBUF_MAGIC, .cpu = cpu };

		put(slots, cpu, &head, 1);
	}
	return slots;
}

/* In these records tgid is the CPU and tid is the number. */
static void fault(struct flt_slots *slots, uint32_t cpu, uint64_t ended, uint32_t number)
{
	const struct flt_event_record r = {
		.time = ended - 3, .latency = 3, .tgid = cpu, .tid = number, .type = FLT_EVENT_FAULT,
	};

	put(slots, cpu, &r, 1);
}

static void note(struct flt_slots *slots, uint32_t cpu, uint64_t time, uint32_t number)
{
	union flt_stream_note slot[3];

	memset(slot, (uint8_t)number, sizeof(slot));
	slot->path = (struct flt_event_path){
		.time = time, .length = 100, .tgid = cpu, .tid = number, .type = FLT_EVENT_PATH, .more = 2,
	};
	put(slots, cpu, slot, 3);
}

struct line {
	uint64_t time;
	uint32_t cpu, number, fault;
};

struct told {
	struct line line[LINES];
	size_t count;
};

static int on_fault(void *arg, struct flt_fault *f)
{
	struct told *t = arg;

	assert_true(t->count < LINES);
	t->line[t->count++] = (struct line){ f->time + f->latency, f->pid, f->tid, 1 };
	return 0;
}

static int on_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	struct told *t = arg;

	assert_true(t->count < LINES);
	assert_int_equal(((const uint8_t *)bytes)[99], (uint8_t)head->path.tid);
	t->line[t->count++] = (struct line){ head->path.time, head->path.tgid, head->path.tid, 0 };
	return 0;
}

/* Numbers increase in the order of arrival. */
static int line_order(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->fault != y->fault)
		return x->fault ? 1 : -1;
	if (x->fault && x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static void merge_matches_a_plain_sort(void **unused)
{
	struct told told = { .count = 0 };
	const struct flt_stream_sink sink = { .fault = on_fault, .note = on_note, .arg = &told };
	struct line want[LINES] = { 0 }, *line;
	struct flt_slots *slots = begin();
	uint64_t time[CPUS] = { 0 };
	uint32_t number = 0, round, i, cpu;
	size_t waiting = 0;

	(void)unused;
	for (round = 1; round < 2000; round++) {
		for (i = (uint32_t)(next() % 40); i && waiting < LINES; i--) {
			cpu = (uint32_t)(next() % (1 + round % CPUS));
			time[cpu] += next() % 4;
			line = &want[waiting++];
			*line = (struct line){ time[cpu] + 10, cpu, ++number, next() % 5 > 0 };
			if (round % 7 == 0)
				line->time -= next() % 4;
			if (line->fault)
				fault(slots, cpu, line->time, number);
			else
				note(slots, cpu, line->time, number);
		}
		qsort(want, waiting, sizeof(*want), line_order);
		told.count = 0;
		assert_int_equal(flt_slots_give(slots, round * 5, &sink), 0);
		assert_memory_equal(told.line, want, told.count * sizeof(*want));
		waiting -= told.count;
		memmove(want, want + told.count, waiting * sizeof(*want));
		assert_true(!waiting || want->time > round * 5);
	}
	flt_slots_free(slots);
}

/* The sink only counts the items of each CPU, because storing all would take too much memory. */
struct flow {
	uint64_t last, horizon, count[CPUS], notes;
};

static int on_flow(void *arg, struct flt_fault *fault, size_t count)
{
	struct flow *f = arg;
	uint64_t end;
	size_t i;

	for (i = 0; i < count; i++) {
		end = fault[i].time + fault[i].latency;
		assert_true(end >= f->last && end <= f->horizon);
		assert_int_equal(fault[i].tid, f->count[fault[i].pid]++);
		f->last = end;
	}
	return 0;
}

static int on_flow_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	struct flow *f = arg;

	assert_true(head->path.time >= f->last && head->path.time <= f->horizon);
	assert_int_equal(((const uint8_t *)bytes)[99], (uint8_t)head->path.tid);
	f->last = head->path.time;
	f->notes++;
	return 0;
}

/* More slots arrive than fit. Each round some wait, and notes leave holes between faults. */
static void full_buffers_keep_the_order(void **unused)
{
	struct flow flow = { 0 };
	const struct flt_stream_sink sink = { .faults = on_flow, .note = on_flow_note, .arg = &flow };
	uint64_t time[CPUS] = { 0 }, faults[CPUS] = { 0 }, notes = 0, delivered, lost;
	struct flt_slots *slots = begin();
	uint32_t round, cpu, i;

	(void)unused;
	for (round = 1; round <= 60; round++) {
		for (cpu = 0; cpu < CPUS; cpu++)
			for (i = (uint32_t)(next() % 1500) * (cpu < round % 7); i; i--) {
				time[cpu] += next() % 16;
				if (time[cpu] < flow.horizon + 1)
					time[cpu] = flow.horizon + 1;
				if (next() % (cpu == 1 ? 3 : 100) == 0) {
					note(slots, cpu, time[cpu], i);
					notes++;
				} else {
					fault(slots, cpu, time[cpu], (uint32_t)faults[cpu]++);
				}
			}
		flow.horizon += next() % 8000;
		assert_int_equal(flt_slots_give(slots, flow.horizon, &sink), 0);
	}
	flow.horizon = UINT64_MAX;
	assert_int_equal(flt_slots_give(slots, UINT64_MAX, &sink), 0);
	assert_memory_equal(flow.count, faults, sizeof(flow.count));
	assert_int_equal(flow.notes, notes);
	flt_slots_count(slots, &delivered, &lost);
	assert_int_equal(delivered, flt_slots_taken(slots));
	flt_slots_free(slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merge_matches_a_plain_sort),
		cmocka_unit_test(full_buffers_keep_the_order),
	};

	return cmocka_run_group_tests_name("slots_chance", tests, NULL, NULL);
}
