// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the merge of slots of several CPUs into one ordered stream. Each delivered item is
 * recorded as a word: type, time, CPU and number.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "source/stream/slots.h"

#define CPUS 5

struct feed {
	struct flt_slots *slots;
	uint64_t heads[CPUS], faults[CPUS];
	uint64_t give_up;	/* number of the fault at which the sink fails, or 0 */
	char told[4096];
	size_t length;
};

static void tell(struct feed *f, char what, uint64_t time, uint32_t cpu, uint32_t number)
{
	f->length += (size_t)snprintf(f->told + f->length, sizeof(f->told) - f->length, "%c%" PRIu64 ".%u.%u ",
				      what, time, cpu, number);
	assert_true(f->length < sizeof(f->told));
}

/* In these records tgid is the CPU and tid is the number. */
static int on_fault(void *arg, struct flt_fault *fault)
{
	struct feed *f = arg;

	if (f->give_up == fault->tid && fault->tid)
		return -EPIPE;
	tell(f, 'f', fault->time + fault->latency, fault->pid, fault->tid);
	return 0;
}

static int on_faults(void *arg, struct flt_fault *fault, size_t count)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < count; i++)
		ret = on_fault(arg, &fault[i]);
	return ret;
}

static int on_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	const uint8_t *byte = bytes;
	size_t i;

	for (i = 0; i < head->path.length; i++)
		assert_int_equal(byte[i], (uint8_t)(head->path.tid + i));
	tell(arg, head->record.type == FLT_EVENT_STACK ? 's' : 'n', head->path.time, head->path.tgid, head->path.tid);
	return 0;
}

static int on_gap(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	struct feed *f = arg;

	(void)to;
	tell(f, 'g', from, cpu, (uint32_t)count);
	return 0;
}

static struct flt_stream_sink sink_of(struct feed *f)
{
	return (struct flt_stream_sink){ .fault = on_fault, .note = on_note, .gap = on_gap, .arg = f };
}

static int put(struct feed *f, uint32_t cpu, const void *slots, size_t count)
{
	const struct flt_stream_sink sink = sink_of(f);
	union flt_stream_note *room;
	struct flt_errmsg e;
	int ret = flt_slots_room(f->slots, cpu, count, &room, &e);

	if (ret)
		return ret;
	memcpy(room, slots, count * sizeof(*room));
	return flt_slots_take(f->slots, cpu, count, &sink, &e);
}

static struct flt_subbuf head_of(struct feed *f, uint32_t cpu)
{
	return (struct flt_subbuf){
		.magic = FLT_SUBBUF_MAGIC, .cpu = cpu, .sequence = f->heads[cpu]++, .written = f->faults[cpu],
	};
}

static struct feed *begin(void)
{
	struct feed *f = calloc(1, sizeof(*f));
	struct flt_subbuf head;
	uint32_t cpu;

	assert_non_null(f);
	assert_int_equal(flt_slots_new(&f->slots, CPUS), 0);
	for (cpu = 0; cpu < CPUS; cpu++) {
		head = head_of(f, cpu);
		assert_int_equal(put(f, cpu, &head, 1), 0);
	}
	return f;
}

static void end(struct feed *f)
{
	flt_slots_free(f->slots);
	free(f);
}

static void fault(struct feed *f, uint32_t cpu, uint64_t ended, uint32_t number)
{
	const struct flt_event_record r = {
		.time = ended - 3, .latency = 3, .tgid = cpu, .tid = number, .type = FLT_EVENT_FAULT,
	};

	f->faults[cpu]++;
	assert_int_equal(put(f, cpu, &r, 1), 0);
}

/* Build the slots of a path or stack note. A stack that is valid until the end has length 0. */
static size_t note_make(union flt_stream_note slot[8], uint32_t cpu, uint64_t time, uint32_t number, uint8_t type,
			uint32_t length)
{
	size_t more = (length + 63) / 64, i;

	memset(slot, 0, 8 * sizeof(*slot));
	slot->path = (struct flt_event_path){
		.time = time, .length = length, .tgid = cpu, .tid = number, .type = type, .more = (uint16_t)more,
	};
	for (i = 0; i < length; i++)
		((uint8_t *)(slot + 1))[i] = (uint8_t)(number + i);
	return 1 + more;
}

static void note(struct feed *f, uint32_t cpu, uint64_t time, uint32_t number)
{
	union flt_stream_note slot[8];
	size_t count = note_make(slot, cpu, time, number, FLT_EVENT_PATH, 100);

	assert_int_equal(put(f, cpu, slot, count), 0);
}

static void expect(struct feed *f, uint64_t horizon, const char *told)
{
	const struct flt_stream_sink sink = sink_of(f);

	assert_int_equal(flt_slots_give(f->slots, horizon, &sink), 0);
	assert_string_equal(f->told, told);
	f->length = 0;
	f->told[0] = 0;
}

static void expect_count(const struct feed *f, uint64_t delivered, uint64_t lost)
{
	uint64_t d, l;

	flt_slots_count(f->slots, &d, &l);
	assert_int_equal(d, delivered);
	assert_int_equal(l, lost);
}

static void faults_are_delivered_in_order(void **unused)
{
	struct feed *f = begin();

	(void)unused;
	fault(f, 2, 10, 1);
	fault(f, 2, 40, 2);
	fault(f, 0, 20, 3);
	fault(f, 0, 21, 4);
	fault(f, 0, 50, 5);
	fault(f, 4, 5, 6);
	assert_int_equal(flt_slots_taken(f->slots), 6);
	expect(f, UINT64_MAX, "f5.4.6 f10.2.1 f20.0.3 f21.0.4 f40.2.2 f50.0.5 ");
	expect(f, UINT64_MAX, "");
	expect_count(f, 6, 0);
	end(f);
}

static int on_converted(void *arg, struct flt_fault *fault)
{
	*(struct flt_fault *)arg = *fault;
	return 0;
}

/* Send a record and return the fault that is delivered. */
static struct flt_fault converted(struct flt_event_record r)
{
	struct flt_fault fault = { 0 };
	const struct flt_stream_sink sink = { .fault = on_converted, .arg = &fault };
	struct feed *f = begin();

	r.type = FLT_EVENT_FAULT;
	assert_int_equal(put(f, 0, &r, 1), 0);
	assert_int_equal(flt_slots_give(f->slots, UINT64_MAX, &sink), 0);
	expect_count(f, 1, 0);
	end(f);
	return fault;
}

static void records_are_converted(void **unused)
{
	struct flt_fault f = converted((struct flt_event_record){
		.time = 1, .address = 2, .ip = 3, .inode = 4, .latency = 5, .tgid = 6, .tid = 7,
		.dev = 0xfff00000u | 8 << 8 | 0x12, .page = 9, .stack = 10, .attempts = 11, .weight = 12,
		.kind = FLT_KIND_FILE, .result = FLT_RESULT_MAJOR, .flags = FLT_EVENT_USER | FLT_EVENT_WRITE,
	});

	(void)unused;
	assert_int_equal(f.time, 1);
	assert_int_equal(f.address, 2);
	assert_int_equal(f.ip, 3);
	assert_int_equal(f.inode, 4);
	assert_int_equal(f.latency, 5);
	assert_int_equal(f.pid, 6);
	assert_int_equal(f.tid, 7);
	assert_int_equal(f.device, 8 << 20 | 0xfff12);
	assert_int_equal(f.page, 9);
	assert_int_equal(f.stack, 10);
	assert_int_equal(f.attempts, 11);
	assert_int_equal(f.weight, 12);
	assert_int_equal(f.pages, 1);
	assert_int_equal(f.kind, FLT_KIND_FILE);
	assert_int_equal(f.flags, FLT_FAULT_OP | FLT_FAULT_WRITE | FLT_FAULT_MAJOR);
	assert_int_equal(f.image + f.cpu + f.failure, 0);
	f = converted((struct flt_event_record){
		.kind = FLT_KIND_ANON, .flags = FLT_EVENT_LONG | FLT_EVENT_EXEC | FLT_EVENT_REMOTE, .latency = ~0u,
	});
	assert_int_equal(f.flags, FLT_FAULT_OP | FLT_FAULT_EXEC | FLT_FAULT_KERNEL | FLT_FAULT_REMOTE |
			 FLT_FAULT_ALLOC);
	assert_int_equal(f.latency, 0xffffffffull << 10);
	f = converted((struct flt_event_record){ .kind = FLT_KIND_SWAP, .flags = FLT_EVENT_USER });
	assert_int_equal(f.flags, FLT_FAULT_OP | FLT_FAULT_REFAULT);
	f = converted((struct flt_event_record){ .kind = FLT_KIND_SWAP, .flags = FLT_EVENT_USER,
						 .result = FLT_RESULT_MAJOR });
	assert_int_equal(f.flags, FLT_FAULT_OP | FLT_FAULT_REFAULT | FLT_FAULT_MAJOR);
	/* A failed fault has brought no page. */
	f = converted((struct flt_event_record){ .kind = FLT_KIND_ANON, .flags = FLT_EVENT_USER,
						 .result = FLT_RESULT_FAILED + FLT_FAILURE_SIGBUS });
	assert_int_equal(f.flags, FLT_FAULT_OP | FLT_FAULT_FAILED);
	assert_int_equal(f.failure, FLT_FAILURE_SIGBUS);
}

/* One CPU alone has more faults than fit into one batch. */
static void busy_cpu_is_delivered_in_batches(void **unused)
{
	struct feed *f = begin();
	struct flt_stream_sink sink = sink_of(f);
	uint32_t i;

	(void)unused;
	sink.faults = on_faults;
	for (i = 1; i <= 300; i++)
		fault(f, 3, 10 * i, i % 10);
	assert_int_equal(flt_slots_give(f->slots, 2995, &sink), 0);
	expect_count(f, 299, 0);
	assert_memory_equal(f->told, "f10.3.1 f20.3.2 ", 16);
	assert_string_equal(f->told + f->length - 10, "f2990.3.9 ");
	f->length = 0;
	expect(f, UINT64_MAX, "f3000.3.0 ");
	end(f);
}

/* Notes precede faults of all CPUs at equal times. Items of one CPU keep their order. */
static void notes_precede_faults_of_equal_time(void **unused)
{
	struct feed *f = begin();

	(void)unused;
	fault(f, 3, 10, 1);
	fault(f, 1, 10, 2);
	fault(f, 1, 10, 3);
	note(f, 4, 10, 4);
	note(f, 0, 10, 5);
	fault(f, 0, 10, 6);
	fault(f, 3, 10, 7);
	fault(f, 3, UINT64_MAX, 8);
	fault(f, 2, UINT64_MAX, 9);
	expect(f, UINT64_MAX, "n10.4.4 n10.0.5 f10.0.6 f10.1.2 f10.1.3 f10.3.1 f10.3.7 "
	       "f18446744073709551615.2.9 f18446744073709551615.3.8 ");
	end(f);
}

static void notes_are_delivered_at_their_time(void **unused)
{
	union flt_stream_note slot[8];
	struct feed *f = begin();

	(void)unused;
	fault(f, 1, 10, 1);
	note(f, 1, 8, 2);
	fault(f, 1, 12, 3);
	note(f, 0, 11, 4);
	note(f, 0, 3, 5);
	note(f, 2, 13, 6);
	/*
	 * A permanent stack is delivered at once, ignoring its time and the horizon. A
	 * FLT_STACK_ONCE stack is delivered like other notes.
	 */
	assert_int_equal(note_make(slot, 3, 99, 7, FLT_EVENT_STACK, 0), 1);
	assert_int_equal(put(f, 3, slot, 1), 0);
	assert_int_equal(note_make(slot, 3, 9, 8, FLT_EVENT_STACK, 0), 1);
	slot->stack.flags = FLT_STACK_ONCE;
	assert_int_equal(put(f, 3, slot, 1), 0);
	expect(f, 12, "s99.3.7 n3.0.5 n8.1.2 s9.3.8 f10.1.1 n11.0.4 f12.1.3 ");
	expect(f, UINT64_MAX, "n13.2.6 ");
	end(f);
}

static void partial_note_waits_for_its_rest(void **unused)
{
	union flt_stream_note slot[8], other[8];
	struct feed *f = begin();
	size_t count = note_make(slot, 1, 7, 1, FLT_EVENT_PATH, 200), i;

	(void)unused;
	assert_int_equal(count, 5);
	fault(f, 1, 5, 2);
	for (i = 0; i < count; i++) {
		/* Notes of another CPU and deliveries in between do no harm. */
		expect(f, UINT64_MAX, i == 0 ? "f5.1.2 " : "n1.2.3 ");
		assert_int_equal(put(f, 2, other, note_make(other, 2, 1, 3, FLT_EVENT_PATH, 64)), 0);
		assert_int_equal(put(f, 1, &slot[i], 1), 0);
	}
	fault(f, 1, 8, 4);
	expect(f, UINT64_MAX, "n1.2.3 n7.1.1 f8.1.4 ");
	/* A note whose end is missing at the end of the stream is dropped. */
	assert_int_equal(put(f, 1, slot, 2), 0);
	expect(f, UINT64_MAX, "");
	end(f);
}

static void disordered_slots_are_sorted(void **unused)
{
	struct feed *f = begin();

	(void)unused;
	fault(f, 1, 30, 1);
	fault(f, 1, 10, 2);
	note(f, 1, 10, 3);
	fault(f, 1, 30, 4);
	fault(f, 1, 20, 5);
	fault(f, 1, 10, 6);
	fault(f, 2, 15, 7);
	expect(f, 20, "n10.1.3 f10.1.2 f10.1.6 f15.2.7 f20.1.5 ");
	/* One fault is later than waiting ones; another is older than delivered ones. */
	fault(f, 1, 25, 8);
	fault(f, 1, 1, 9);
	fault(f, 1, 31, 10);
	expect(f, UINT64_MAX, "f1.1.9 f25.1.8 f30.1.1 f30.1.4 f31.1.10 ");
	expect_count(f, 9, 0);
	end(f);
}

static void later_slots_wait_for_the_horizon(void **unused)
{
	struct feed *f = begin();
	uint32_t i;

	(void)unused;
	for (i = 1; i <= 4; i++) {
		fault(f, 0, 10 * i, i);
		fault(f, 1, 10 * i + 5, i);
	}
	expect(f, 9, "");
	expect(f, 10, "f10.0.1 ");
	expect(f, 29, "f15.1.1 f20.0.2 f25.1.2 ");
	fault(f, 2, 29, 9);
	fault(f, 0, 41, 5);
	expect(f, 40, "f29.2.9 f30.0.3 f35.1.3 f40.0.4 ");
	expect_count(f, 8, 0);
	assert_int_equal(flt_slots_taken(f->slots), 10);
	expect(f, UINT64_MAX, "f41.0.5 f45.1.4 ");
	end(f);
}

static void losses_are_delivered_at_once(void **unused)
{
	struct feed *f = begin();
	struct flt_subbuf head;

	(void)unused;
	fault(f, 1, 50, 1);
	head = head_of(f, 1);
	head.lost_full = 7;
	assert_int_equal(put(f, 1, &head, 1), 0);
	/* A loss is delivered at once, before faults that wait. */
	assert_string_equal(f->told, "g50.1.7 ");
	head = head_of(f, 1);
	head.lost_full = 7;
	assert_int_equal(put(f, 1, &head, 1), 0);
	expect(f, UINT64_MAX, "g50.1.7 f50.1.1 ");
	expect_count(f, 1, 7);
	head = head_of(f, 1);
	head.lost_full = 6;
	assert_int_equal(put(f, 1, &head, 1), -EBADMSG);
	end(f);
}

static void damaged_slots_are_refused(void **unused)
{
	const struct flt_event_record r = { .type = FLT_EVENT_FAULT };
	union flt_stream_note slot[8];
	struct feed *f = begin();
	struct flt_subbuf head;
	unsigned int i;
	size_t count;

	(void)unused;
	fault(f, 0, 1, 1);
	for (i = 0; i < 4; i++) {
		head = head_of(f, 0);
		f->heads[0]--;
		head.magic += i == 0;
		head.cpu += i == 1;
		head.sequence += i == 2;
		head.written -= i == 3;
		assert_int_equal(put(f, 0, &head, 1), -EBADMSG);
	}
	assert_int_equal(put(f, CPUS, &r, 1), -EBADMSG);
	/* The length exceeds the slots of the note. */
	count = note_make(slot, 0, 1, 1, FLT_EVENT_PATH, 64);
	slot->path.length = 65;
	assert_int_equal(put(f, 0, slot, count), -EBADMSG);
	end(f);
	/* The sub-buffer has no head. */
	f = calloc(1, sizeof(*f));
	assert_non_null(f);
	assert_int_equal(flt_slots_new(&f->slots, CPUS), 0);
	assert_int_equal(put(f, 0, &r, 1), -EBADMSG);
	count = note_make(slot, 0, 1, 1, FLT_EVENT_PATH, 64);
	assert_int_equal(put(f, 0, slot, count), -EBADMSG);
	end(f);
}

static void sink_error_is_returned(void **unused)
{
	struct feed *f = begin();
	const struct flt_stream_sink sink = sink_of(f);

	(void)unused;
	fault(f, 0, 1, 1);
	fault(f, 1, 2, 2);
	fault(f, 0, 3, 3);
	f->give_up = 2;
	assert_int_equal(flt_slots_give(f->slots, UINT64_MAX, &sink), -EPIPE);
	assert_string_equal(f->told, "f1.0.1 ");
	expect_count(f, 1, 0);
	end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_are_delivered_in_order),
		cmocka_unit_test(records_are_converted),
		cmocka_unit_test(busy_cpu_is_delivered_in_batches),
		cmocka_unit_test(notes_precede_faults_of_equal_time),
		cmocka_unit_test(notes_are_delivered_at_their_time),
		cmocka_unit_test(partial_note_waits_for_its_rest),
		cmocka_unit_test(disordered_slots_are_sorted),
		cmocka_unit_test(later_slots_wait_for_the_horizon),
		cmocka_unit_test(losses_are_delivered_at_once),
		cmocka_unit_test(damaged_slots_are_refused),
		cmocka_unit_test(sink_error_is_returned),
	};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
