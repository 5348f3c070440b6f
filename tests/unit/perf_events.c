// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the decoding of perf's records, and the timeline of recorded sequences of them. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "model/process/touches.h"
#include "timeline/timeline.h"

/* Above every pid_max, so that /proc has no such process. */
#define COMMAND 0x7fffff01u
#define CHILD 0x7fffff02u
#define THREAD 0x7fffff03u
#define MAJOR_ID 77

static const uint64_t major_ids[] = { MAJOR_ID };
static struct flt_perf_layout layout;

/* A record under construction, as the kernel writes it. */
static union {
	struct perf_event_header header;
	unsigned char bytes[4096];
} record;

static void begin_record(uint32_t type, uint16_t misc)
{
	memset(&record, 0, sizeof(record));
	record.header = (struct perf_event_header){ type, misc, sizeof(record.header) };
}

static void put(const void *bytes, size_t size)
{
	memcpy(record.bytes + record.header.size, bytes, size);
	record.header.size = (uint16_t)(record.header.size + size);
}

static void put32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put64(uint64_t value)
{
	put(&value, sizeof(value));
}

static void put_text(const char *text)
{
	put(text, strlen(text) + 1);
	record.header.size = (uint16_t)((record.header.size + 7) & ~7);
}

/* sample_id_all: pid, tid, time, cpu, reserved, id. */
static void put_tail(uint64_t time)
{
	put32(0);
	put32(0);
	put64(time);
	put64(1);
	put64(0);
}

static void put_sample(uint64_t time, uint32_t pid, uint32_t tid, uint64_t address, uint64_t id)
{
	put64(id);
	put64(0x401000);
	put32(pid);
	put32(tid);
	put64(time);
	put64(address);
	put32(3);
	put32(0);
}

static void put_fork(uint32_t type, uint64_t time, uint32_t pid, uint32_t tid, uint32_t parent)
{
	begin_record(type, 0);
	put32(pid);
	put32(parent);
	put32(tid);
	put32(parent);
	put64(time);
	put_tail(time);
}

static void put_comm(uint64_t time, uint32_t pid, uint32_t tid, const char *comm, bool exec)
{
	begin_record(PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put32(pid);
	put32(tid);
	put_text(comm);
	put_tail(time);
}

static void put_map(uint64_t time, uint32_t pid, uint64_t start, const char *name, bool build_id)
{
	static const unsigned char id[] = { 20, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
					    9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

	begin_record(PERF_RECORD_MMAP2, build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
	put32(pid);
	put32(pid);
	put64(start);
	put64(0x2000);
	put64(0x1000);
	if (build_id) {
		put(id, sizeof(id));
	} else {
		put32(8);
		put32(2);
		put64(1234);
		put64(0);
	}
	put32(PROT_READ | PROT_EXEC);
	put32(MAP_PRIVATE);
	put_text(name);
	put_tail(time);
}

static struct flt_perf_event decode(void)
{
	struct flt_perf_event e;

	assert_int_equal(flt_perf_decode(&layout, &record.header, &e), 1);
	return e;
}

static int set_layout(void **state)
{
	(void)state;
	layout = (struct flt_perf_layout){
		.max_stack = 4, .major_ids = major_ids, .major_id_count = 1,
	};
	return 0;
}

static void fault_is_decoded(void **state)
{
	struct flt_perf_event e;

	(void)state;
	begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_sample(50, 10, 11, 0x7000123, MAJOR_ID);
	assert_int_equal(flt_perf_record_time(&record.header), 50);
	e = decode();
	assert_int_equal(e.type, FLT_PERF_FAULT);
	assert_int_equal(e.fault.time, 50);
	assert_int_equal(e.fault.address, 0x7000123);
	assert_int_equal(e.fault.ip, 0x401000);
	assert_int_equal(e.fault.pid, 10);
	assert_int_equal(e.fault.tid, 11);
	assert_int_equal(e.fault.cpu, 3);
	assert_int_equal(e.fault.weight, 1);
	assert_int_equal(e.fault.flags, FLT_FAULT_MAJOR);
	/* The instruction of a fault in kernel mode is not one of the program. */
	begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	put_sample(50, 10, 11, 0x7000123, 1);
	e = decode();
	assert_int_equal(e.fault.ip, 0);
	assert_int_equal(e.fault.flags, FLT_FAULT_KERNEL);
	record.header.size -= 8;
	assert_int_equal(flt_perf_decode(&layout, &record.header, &e), -EBADMSG);
}

static void put_chain(uint64_t count, const uint64_t *chain)
{
	uint64_t i;

	begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_sample(50, 10, 10, 0x7000000, 1);
	put64(count);
	for (i = 0; i < count; i++)
		put64(chain[i]);
}

static void call_chain_is_decoded(void **state)
{
	const uint64_t chain[] = {
		(uint64_t)PERF_CONTEXT_USER, 0x401000, 0x402000, 0x403000, 0x404000,
	};
	struct flt_perf_event e;

	(void)state;
	layout.stacks = true;
	put_chain(4, chain);
	e = decode();
	assert_int_equal(e.frame_count, 3);
	assert_memory_equal(e.frames, chain + 1, 3 * sizeof(*chain));
	assert_false(e.cut);
	put_chain(5, chain);
	assert_true(decode().cut);
	/* The count exceeds the record. */
	put_chain(5, chain);
	record.header.size -= 8;
	assert_int_equal(flt_perf_decode(&layout, &record.header, &e), -EBADMSG);
}

static void copy_of_the_stack_is_decoded(void **state)
{
	struct flt_perf_event e;
	uint64_t i;

	(void)state;
	layout.stacks = layout.dwarf = true;
	begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	put_sample(50, 10, 10, 0x7000000, 1);
	put64(PERF_SAMPLE_REGS_ABI_64);
	for (i = 0; i < FLT_UNWIND_REGS; i++)
		put64(100 + i);
	put64(16);
	put64(0xaaaa);
	put64(0xbbbb);
	put64(8);	/* valid bytes */
	e = decode();
	assert_true(e.sampled);
	assert_int_equal(e.sample.size, 8);
	assert_int_equal(*(const uint64_t *)e.sample.stack, 0xaaaa);
	/* perf: ax bx cx dx si di bp sp ip r8...; DWARF: ax dx cx bx si di bp sp r8... ip. */
	assert_int_equal(e.sample.regs[0], 100);
	assert_int_equal(e.sample.regs[1], 103);
	assert_int_equal(e.sample.regs[3], 101);
	assert_int_equal(e.sample.regs[7], 107);
	assert_int_equal(e.sample.regs[8], 109);
	assert_int_equal(e.sample.regs[FLT_UNWIND_IP], 108);
	assert_int_equal(e.fault.ip, 108);
	record.header.size -= 16;
	assert_int_equal(flt_perf_decode(&layout, &record.header, &e), -EBADMSG);
}

static void notes_are_decoded(void **state)
{
	struct flt_perf_event e;

	(void)state;
	put_map(60, 10, 0x400000, "/bin/a", false);
	e = decode();
	assert_int_equal(e.type, FLT_PERF_MAP);
	assert_string_equal(e.name, "/bin/a");
	assert_int_equal(e.map.head.time, 60);
	assert_int_equal(e.map.end, 0x402000);
	assert_int_equal(e.map.offset, 0x1000);
	assert_int_equal(e.map.inode, 1234);
	assert_int_equal(e.map.device, 8 << 20 | 2);
	assert_int_equal(e.map.flags, FLT_MAP_READ | FLT_MAP_EXEC);
	put_map(60, 10, 0x400000, "//anon", true);
	e = decode();
	assert_string_equal(e.name, "");
	assert_int_equal(e.map.build_id_size, 20);
	assert_int_equal(e.map.build_id[19], 20);
	assert_int_equal(e.map.inode, 0);
	put_fork(PERF_RECORD_FORK, 70, 12, 12, 10);
	e = decode();
	assert_int_equal(e.life.what, FLT_LIFE_FORK);
	assert_int_equal(e.life.tgid, 12);
	assert_int_equal(e.life.parent_tgid, 10);
	put_fork(PERF_RECORD_EXIT, 71, 12, 12, 10);
	e = decode();
	assert_int_equal(e.life.what, FLT_LIFE_EXIT);
	assert_int_equal(e.life.code, ~0u);
	put_comm(72, 12, 12, "b", true);
	e = decode();
	assert_int_equal(e.life.what, FLT_LIFE_EXEC);
	assert_string_equal(e.name, "b");
	put_comm(72, 12, 13, "worker", false);
	assert_int_equal(decode().type, FLT_PERF_COMM);
	/* LOST has the id and the count, LOST_SAMPLES the count. */
	begin_record(PERF_RECORD_LOST, 0);
	put64(1);
	put64(9);
	put_tail(80);
	assert_int_equal(decode().lost, 9);
	begin_record(PERF_RECORD_LOST_SAMPLES, 0);
	put64(4);
	put_tail(81);
	assert_int_equal(decode().lost, 4);
	begin_record(PERF_RECORD_THROTTLE, 0);
	put_tail(82);
	assert_int_equal(flt_perf_decode(&layout, &record.header, &e), 0);
}

static struct flt_timeline *timeline;

static int begin_timeline(void **state)
{
	const struct flt_timeline_setup setup = {
		.perf = true, .in_memory = true, .command = COMMAND, .stacks = FLT_TIMELINE_FRAMES,
	};

	set_layout(state);
	layout.stacks = true;
	return flt_timeline_new(&timeline, &setup);
}

static int end_timeline(void **state)
{
	(void)state;
	flt_timeline_free(timeline);
	return 0;
}

static void note(void)
{
	const struct flt_perf_event e = decode();

	assert_int_equal(flt_timeline_perf_note(timeline, &e), 0);
}

static struct flt_fault fault_with(uint64_t time, uint32_t pid, uint32_t tid, uint64_t address,
				   uint64_t caller, struct flt_timeline_stack *stack)
{
	struct flt_perf_event e;
	struct flt_fault f;

	begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_sample(time, pid, tid, address, 1);
	put64(3);
	put64((uint64_t)PERF_CONTEXT_USER);
	put64(0x401000);
	put64(caller);
	e = decode();
	assert_int_equal(flt_timeline_perf_fault(timeline, &e, &f, stack), 0);
	return f;
}

static struct flt_fault fault(uint64_t time, uint32_t pid, uint32_t tid, uint64_t address)
{
	struct flt_timeline_stack stack;

	return fault_with(time, pid, tid, address, 0x402000, &stack);
}

static const char *mapped(uint32_t image, uint64_t address)
{
	const struct flt_map *map;

	map = flt_recording_map(flt_timeline_recording(timeline), image, address);
	return map ? map->name : NULL;
}

static const struct flt_image *image_of(uint32_t number)
{
	const struct flt_image *image;

	image = flt_recording_image(flt_timeline_recording(timeline), number);
	assert_non_null(image);
	return image;
}

/* perf reports the exec first. The mappings that follow belong to the new image. */
static void exec_comes_before_its_mappings(void **state)
{
	(void)state;
	assert_int_equal(fault(1, COMMAND, COMMAND, 0x400000).image, 0);
	put_comm(2, COMMAND, COMMAND, "first", true);
	note();
	put_map(3, COMMAND, 0x400000, "/bin/first", false);
	note();
	assert_int_equal(fault(4, COMMAND, COMMAND, 0x400000).image, 1);
	assert_int_equal(image_of(1)->cause, FLT_IMAGE_START);
	put_map(5, COMMAND, 0x500000, "/lib/late.so", false);
	note();
	put_comm(6, COMMAND, COMMAND, "second", true);
	note();
	put_map(7, COMMAND, 0x400000, "/bin/second", true);
	note();
	assert_int_equal(fault(8, COMMAND, COMMAND, 0x400000).image, 2);
	assert_int_equal(image_of(2)->cause, FLT_IMAGE_EXEC);
	assert_int_equal(image_of(2)->parent, 1);
	assert_string_equal(image_of(2)->comm, "second");
	assert_string_equal(mapped(1, 0x400000), "/bin/first");
	assert_string_equal(mapped(1, 0x500000), "/lib/late.so");
	assert_string_equal(mapped(2, 0x400000), "/bin/second");
	assert_null(mapped(2, 0x500000));
}

/* A child has the mappings, the touched pages and the name of its parent. */
static void child_and_thread_have_what_the_parent_has(void **state)
{
	struct flt_recording *rec = flt_timeline_recording(timeline);

	(void)state;
	put_comm(1, COMMAND, COMMAND, "command", true);
	note();
	put_map(2, COMMAND, 0x400000, "/bin/command", false);
	note();
	put_comm(3, COMMAND, COMMAND, "renamed", false);
	note();
	assert_true(fault(4, COMMAND, COMMAND, 0x600000).flags & FLT_FAULT_ALLOC);
	put_fork(PERF_RECORD_FORK, 5, CHILD, CHILD, COMMAND);
	note();
	assert_int_equal(image_of(2)->cause, FLT_IMAGE_FORK);
	assert_string_equal(image_of(2)->comm, "renamed");
	assert_string_equal(mapped(2, 0x400000), "/bin/command");
	assert_int_equal(fault(6, CHILD, CHILD, 0x600008).image, 2);
	assert_false(fault(6, CHILD, CHILD, 0x600008).flags & FLT_FAULT_ALLOC);
	assert_true(fault(7, CHILD, CHILD, 0x601000).flags & FLT_FAULT_ALLOC);
	assert_true(fault(8, COMMAND, COMMAND, 0x601000).flags & FLT_FAULT_ALLOC);
	/* A thread is no new image. The process ends with its last thread. */
	put_fork(PERF_RECORD_FORK, 9, CHILD, THREAD, CHILD);
	note();
	assert_string_equal(flt_recording_comm(rec, 2, THREAD), "renamed");
	put_comm(10, CHILD, THREAD, "worker", false);
	note();
	assert_string_equal(flt_recording_comm(rec, 2, THREAD), "worker");
	assert_string_equal(image_of(2)->comm, "renamed");
	put_fork(PERF_RECORD_EXIT, 11, CHILD, CHILD, COMMAND);
	note();
	assert_int_equal(image_of(2)->end, 0);
	assert_int_equal(fault(12, CHILD, THREAD, 0x602000).image, 2);
	put_fork(PERF_RECORD_EXIT, 13, CHILD, THREAD, COMMAND);
	note();
	assert_int_equal(image_of(2)->end, 13);
	/* The PID is reused. */
	put_fork(PERF_RECORD_FORK, 14, CHILD, CHILD, COMMAND);
	note();
	assert_int_equal(fault(15, CHILD, CHILD, 0x600000).image, 3);
}

/* The fork of a process was lost. Its first event adds the process. */
static void process_of_a_lost_fork_is_found(void **state)
{
	(void)state;
	assert_int_equal(fault(1, CHILD, CHILD, 0x600000).image, 1);
	assert_int_equal(image_of(1)->cause, FLT_IMAGE_FOUND);
	assert_int_equal(image_of(1)->pid, CHILD);
}

static void new_memory_is_touched_first_again(void **state)
{
	(void)state;
	put_comm(1, COMMAND, COMMAND, "command", true);
	note();
	assert_true(fault(2, COMMAND, COMMAND, 0x600000).flags & FLT_FAULT_ALLOC);
	put_map(3, COMMAND, 0x600000, "//anon", false);
	note();
	assert_true(fault(4, COMMAND, COMMAND, 0x600000).flags & FLT_FAULT_ALLOC);
	/* The heap is reported whenever it grows. Its pages stay touched. */
	put_map(5, COMMAND, 0x600000, "[heap]", false);
	note();
	assert_false(fault(6, COMMAND, COMMAND, 0x600000).flags & FLT_FAULT_ALLOC);
}

static void stack_ends_at_an_invalid_frame(void **state)
{
	struct flt_timeline_stack stack;

	(void)state;
	put_comm(1, COMMAND, COMMAND, "command", true);
	note();
	fault_with(2, COMMAND, COMMAND, 0x600000, 0x402000, &stack);
	assert_int_equal(stack.count, 2);
	assert_int_equal(stack.address[1], 0x402000);
	assert_false(stack.astray);
	fault_with(3, COMMAND, COMMAND, 0x600000, 0x10, &stack);
	assert_int_equal(stack.count, 1);
	assert_true(stack.astray);
}

static void touches_are_forgotten_with_their_image(void **state)
{
	struct flt_touches *t = flt_touches_new(4096);
	bool first;

	(void)state;
	assert_non_null(t);
	assert_int_equal(flt_touches_add(t, 7, 0x1000, false, &first), 0);
	assert_false(first);
	assert_int_equal(flt_touches_image(t, 7, 0), 0);
	assert_int_equal(flt_touches_add(t, 7, 0x1000, false, &first), 0);
	assert_true(first);
	assert_int_equal(flt_touches_image(t, 1000, 7), 0);
	flt_touches_end(t, 7);
	flt_touches_end(t, 7);
	assert_int_equal(flt_touches_add(t, 1000, 0x1fff, false, &first), 0);
	assert_false(first);
	assert_int_equal(flt_touches_add(t, 7, 0x2000, false, &first), 0);
	assert_false(first);
	flt_touches_free(t);
}

/* Only swap has content for anonymous memory that seems to be new. */
static void major_fault_of_merged_memory_is_no_first_touch(void **state)
{
	struct flt_touches *t = flt_touches_new(4096);
	bool first;

	(void)state;
	assert_non_null(t);
	assert_int_equal(flt_touches_image(t, 1, 0), 0);
	assert_int_equal(flt_touches_add(t, 1, 0x1000, false, &first), 0);
	assert_int_equal(flt_touches_add(t, 1, 0x2000, false, &first), 0);
	flt_touches_map(t, 1, 0x1000, 0x9000, true);
	assert_int_equal(flt_touches_add(t, 1, 0x1000, true, &first), 0);
	assert_false(first);
	assert_int_equal(flt_touches_add(t, 1, 0x2000, false, &first), 0);
	assert_true(first);
	/* A file is read first. */
	flt_touches_map(t, 1, 0x1000, 0x9000, false);
	assert_int_equal(flt_touches_add(t, 1, 0x1000, true, &first), 0);
	assert_true(first);
	assert_int_equal(flt_touches_add(t, 1, 0x3000, true, &first), 0);
	assert_true(first);
	flt_touches_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(fault_is_decoded, set_layout),
		cmocka_unit_test_setup(call_chain_is_decoded, set_layout),
		cmocka_unit_test_setup(copy_of_the_stack_is_decoded, set_layout),
		cmocka_unit_test_setup(notes_are_decoded, set_layout),
		cmocka_unit_test_setup_teardown(exec_comes_before_its_mappings, begin_timeline,
						end_timeline),
		cmocka_unit_test_setup_teardown(child_and_thread_have_what_the_parent_has,
						begin_timeline, end_timeline),
		cmocka_unit_test_setup_teardown(process_of_a_lost_fork_is_found, begin_timeline,
						end_timeline),
		cmocka_unit_test_setup_teardown(new_memory_is_touched_first_again, begin_timeline,
						end_timeline),
		cmocka_unit_test_setup_teardown(stack_ends_at_an_invalid_frame, begin_timeline,
						end_timeline),
		cmocka_unit_test(touches_are_forgotten_with_their_image),
		cmocka_unit_test(major_fault_of_merged_memory_is_no_first_touch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
