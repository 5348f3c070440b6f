// SPDX-License-Identifier: GPL-2.0-or-later
/* Test how mappings are assigned to images by fork and exec notes, and lookups of stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/process/images.h"
#include "source/stream/causes.h"
#include "source/stream/slices.h"
#include "source/stream/stacks.h"

static char told[4096];
static char told_comm[64];
static unsigned int told_kind;	/* area of the last MAP record */
static uint64_t told_offset;	/* of the same */
static struct flt_images *images;

static int on_told(void *arg, struct flt_record *r)
{
	const struct flt_record_image *image = (const void *)r;
	const struct flt_record_map *map = (const void *)r;
	const struct flt_record_exit *end = (const void *)r;
	size_t at = strlen(told);

	(void)arg;
	if (r->type == FLT_RECORD_IMAGE)
		snprintf(told + at, sizeof(told) - at, "image %u pid %u parent %u cause %u %s; ", r->image, image->pid,
			 image->parent, image->cause, (const char *)(image + 1));
	if (r->type == FLT_RECORD_MAP) {
		told_kind = map->area;
		told_offset = map->offset;
		snprintf(told + at, sizeof(told) - at, "map %u %llx %s; ", r->image, map->start, (const char *)(map + 1));
	}
	if (r->type == FLT_RECORD_COMM)
		snprintf(told_comm, sizeof(told_comm), "%u tid %u %s", r->image, r->tid, (const char *)(r + 1));
	if (r->type == FLT_RECORD_EXIT)
		snprintf(told + at, sizeof(told) - at, "exit %u tid %u status %x; ", r->image, r->tid, end->status);
	return 0;
}

static int on_found(void *arg, uint64_t time, uint32_t image, uint32_t tgid, uint32_t *threads)
{
	size_t at = strlen(told);

	(void)arg;
	(void)time;
	*threads = 2;
	snprintf(told + at, sizeof(told) - at, "found %u %u; ", image, tgid);
	return 0;
}

static int begin(void **unused)
{
	const struct flt_images_sink sink = { .record = on_told, .found = on_found };

	(void)unused;
	told[0] = 0;
	return flt_images_new(&images, &sink, 10, flt_page_size_of(4096, 0));
}

static int end(void **unused)
{
	(void)unused;
	flt_images_free(images);
	return 0;
}

static void area(uint64_t time, uint32_t tgid, uint32_t tid, uint64_t start, const char *name)
{
	const struct flt_event_area a = {
		.time = time, .tgid = tgid, .tid = tid, .start = start, .end = start + 4096, .protection = 5,
		.flags = FLT_AREA_MADE, .of = FLT_AREA_SHMEM,
	};

	assert_int_equal(flt_images_area(images, &a, name), 0);
}

static void life(uint64_t time, uint8_t what, uint32_t tgid, uint32_t tid, uint32_t parent, const char *name)
{
	const struct flt_event_life l = {
		.time = time, .what = what, .tgid = tgid, .tid = tid, .parent_tgid = parent, .parent_tid = parent, .code = 0x100,
	};
	char comm[16] = "";

	strncpy(comm, name, sizeof(comm) - 1);
	assert_int_equal(flt_images_life(images, &l, comm), 0);
}

static uint32_t fault(uint64_t time, uint32_t tgid, uint32_t tid, uint16_t flags)
{
	const struct flt_fault f = {
		.time = time, .pid = tgid, .tid = tid,
		.flags = flags & FLT_EVENT_USER ? 0 : FLT_FAULT_KERNEL,
	};
	uint32_t image;

	assert_int_equal(flt_images_fault(images, &f, &image), 0);
	return image;
}

/* The module counts the offset in pages of its machine. */
static void offsets_are_pages_of_the_machine(void **unused)
{
	const struct flt_images_sink sink = { .record = on_told, .found = on_found };
	const struct flt_event_area a = { .time = 1, .tgid = 11, .tid = 11, .start = 1 << 20, .end = 2 << 20, .page = 0x80000003 };
	uint64_t page;

	(void)unused;
	for (page = 4096; page <= 65536; page *= 4) {
		flt_images_free(images);
		assert_int_equal(flt_images_new(&images, &sink, 0, flt_page_size_of(page, 0)), 0);
		assert_int_equal(flt_images_area(images, &a, "/f"), 0);
		assert_int_equal(fault(2, 11, 11, FLT_EVENT_USER), 1);
		assert_int_equal(told_offset, 0x80000003 * page);
	}
}

/*
 * The mappings of an exec precede its note. The kernel may fault between them. The process of
 * the command has no image before its exec.
 */
static void exec_gets_its_mappings(void **unused)
{
	(void)unused;
	assert_int_equal(fault(1, 10, 10, FLT_EVENT_USER), 0);
	area(2, 10, 10, 0x1000, "/bin/a");
	assert_int_equal(fault(3, 10, 10, 0), 0);
	area(4, 10, 10, 0x2000, "/lib/ld.so");
	life(5, FLT_LIFE_EXEC, 10, 10, 0, "a");
	assert_int_equal(fault(6, 10, 10, FLT_EVENT_USER), 1);
	assert_string_equal(told, "image 1 pid 10 parent 0 cause 2 a; map 1 1000 /bin/a; map 1 2000 /lib/ld.so; ");
}

/* A library mapped before a user fault belongs to the old image, not to a later exec. */
static void library_stays_with_the_old_image(void **unused)
{
	(void)unused;
	area(1, 11, 11, 0x1000, "/lib/x.so");
	assert_int_equal(fault(2, 11, 11, FLT_EVENT_USER), 1);
	area(3, 11, 11, 0x2000, "/lib/y.so");
	assert_int_equal(fault(4, 11, 12, 0), 1);
	life(5, FLT_LIFE_EXEC, 11, 11, 0, "b");
	assert_string_equal(told, "image 1 pid 11 parent 0 cause 1 ; found 1 11; map 1 1000 /lib/x.so; "
				  "map 1 2000 /lib/y.so; image 2 pid 11 parent 1 cause 4 b; ");
}

/* Mappings of an exec that takes 2 s serve kernel faults before it and the new image. */
static void slow_exec_gets_its_mappings(void **unused)
{
	(void)unused;
	area(1, 11, 11, 0x1000, "/bin/c");
	fault(2000000000, 11, 11, 0);
	area(2000000001, 11, 11, 0x2000, "/lib/ld.so");
	life(2000000002, FLT_LIFE_EXEC, 11, 11, 0, "c");
	assert_string_equal(told, "image 1 pid 11 parent 0 cause 1 ; found 1 11; map 1 1000 /bin/c; "
				  "image 2 pid 11 parent 1 cause 4 c; map 2 1000 /bin/c; map 2 2000 /lib/ld.so; ");
}

/*
 * In an exec, the kernel faults in mappings of the new program. The old image gets these mappings
 * before the fault, each once. The new image gets all of them.
 */
static void kernel_fault_finds_its_mapping(void **unused)
{
	(void)unused;
	assert_int_equal(fault(1, 11, 11, FLT_EVENT_USER), 1);
	area(2, 11, 11, 0x1000, "/bin/c");
	assert_int_equal(fault(2, 11, 11, 0), 1);
	assert_string_equal(told, "image 1 pid 11 parent 0 cause 1 ; found 1 11; map 1 1000 /bin/c; ");
	assert_int_equal(told_kind, FLT_AREA_SHMEM + 1);
	area(3, 11, 11, 0x2000, "/lib/ld.so");
	fault(3, 11, 11, 0);
	fault(4, 11, 11, 0);
	life(5, FLT_LIFE_EXEC, 11, 11, 0, "c");
	assert_int_equal(fault(6, 11, 11, FLT_EVENT_USER), 2);
	assert_string_equal(told, "image 1 pid 11 parent 0 cause 1 ; found 1 11; map 1 1000 /bin/c; "
				  "map 1 2000 /lib/ld.so; image 2 pid 11 parent 1 cause 4 c; "
				  "map 2 1000 /bin/c; map 2 2000 /lib/ld.so; ");
}

static void reused_pid_gets_a_new_image(void **unused)
{
	(void)unused;
	life(1, FLT_LIFE_FORK, 20, 20, 11, "d");
	life(2, FLT_LIFE_FORK, 20, 21, 20, "d");
	life(3, FLT_LIFE_EXIT, 20, 20, 0, "d");
	life(4, FLT_LIFE_EXIT, 20, 21, 0, "d");
	/* The PID is reused. */
	life(5, FLT_LIFE_FORK, 20, 20, 11, "d");
	assert_int_equal(fault(6, 20, 20, FLT_EVENT_USER), 3);
	assert_string_equal(told, "image 1 pid 11 parent 0 cause 1 ; found 1 11; image 2 pid 20 parent 1 cause 3 d; "
				  "exit 2 tid 20 status ffffffff; exit 2 tid 0 status 100; "
				  "image 3 pid 20 parent 1 cause 3 d; ");
}

static void exit_note_has_the_last_name(void **unused)
{
	(void)unused;
	life(1, FLT_LIFE_FORK, 20, 20, 11, "d");
	life(2, FLT_LIFE_FORK, 20, 21, 20, "d");
	told_comm[0] = 0;
	life(3, FLT_LIFE_EXIT, 20, 21, 0, "io-1");
	assert_string_equal(told_comm, "2 tid 21 io-1");
	told_comm[0] = 0;
	life(4, FLT_LIFE_EXIT, 20, 20, 0, "d");
	assert_string_equal(told_comm, "");
}

static void stacks_are_found_by_id(void **unused)
{
	const uint64_t frames[] = { 1, 2, 3 };
	struct flt_event_stack note = { .stack = 7, .depth = 3, .cut = FLT_CUT_DEPTH };
	const struct flt_stream_stack *stack;
	struct flt_stream_stacks *s;
	uint32_t i;

	(void)unused;
	assert_int_equal(flt_stream_stacks_new(&s), 0);
	assert_null(flt_stream_stacks_of(s, 7));
	assert_int_equal(flt_stream_stacks_add(s, &note, frames), 0);
	for (i = 0; i < 2; i++) {
		stack = flt_stream_stacks_of(s, 7);
		assert_non_null(stack);
		assert_int_equal(stack->depth, 3);
		assert_int_equal(stack->cut, FLT_CUT_DEPTH);
		assert_memory_equal(stack->frame, frames, sizeof(frames));
	}
	/* A FLT_STACK_ONCE stack is found once. Unused ones are dropped to bound memory. */
	note.flags = FLT_STACK_ONCE;
	for (i = 0; i < 5000; i++) {
		note.stack = 1000 + i;
		assert_int_equal(flt_stream_stacks_add(s, &note, frames), 0);
	}
	assert_null(flt_stream_stacks_of(s, 1000));
	assert_non_null(flt_stream_stacks_of(s, 5999));
	assert_null(flt_stream_stacks_of(s, 5999));
	assert_non_null(flt_stream_stacks_of(s, 7));
	assert_null(flt_stream_stacks_of(s, 0));
	note.depth = 0;
	assert_int_not_equal(flt_stream_stacks_add(s, &note, frames), 0);
	flt_stream_stacks_free(s);
}

static void slices_are_found_by_thread(void **unused)
{
	struct {
		struct flt_event_registers registers;
		uint64_t bytes[2];
	} bytes = { .registers.dwarf[16] = 42, .bytes = { 5, 6 } };
	struct flt_event_slice note = { .time = 9, .tid = 3, .length = 16, .sp = 0x7000 };
	struct flt_fault f = { .time = 9, .tid = 3 };
	const struct flt_stream_slice *slice;
	struct flt_stream_pending *s;

	(void)unused;
	assert_int_equal(flt_stream_pending_new(&s), 0);
	assert_int_equal(flt_stream_slices_add(s, &note, &bytes), 0);
	slice = flt_stream_slices_of(s, &f);
	assert_non_null(slice);
	assert_int_equal(slice->registers.dwarf[16], 42);
	assert_memory_equal(slice->bytes, bytes.bytes, 16);
	assert_null(flt_stream_slices_of(s, &f));
	/* The slice of a lost fault is not returned for another fault. */
	assert_int_equal(flt_stream_slices_add(s, &note, &bytes), 0);
	f.time = 10;
	assert_null(flt_stream_slices_of(s, &f));
	flt_stream_pending_free(s);
}

static void causes_are_parts_in_nanoseconds(void **unused)
{
	struct flt_event_causes note = {
		.time = 9, .tid = 3, .part = { [FLT_CAUSE_OTHER] = 5, [FLT_CAUSE_IO] = UINT32_MAX },
	};
	struct flt_fault f = { .time = 9, .tid = 3 };
	const struct flt_stream_causes *causes;
	struct flt_stream_pending *s;
	uint32_t i;

	(void)unused;
	assert_int_equal(flt_stream_pending_new(&s), 0);
	assert_int_equal(flt_stream_causes_add(s, &note), 0);
	causes = flt_stream_causes_of(s, &f);
	assert_non_null(causes);
	assert_int_equal(causes->part[FLT_CAUSE_OTHER], 5);
	assert_int_equal(causes->part[FLT_CAUSE_IO], UINT32_MAX);
	assert_int_equal(causes->part[FLT_CAUSE_QUEUE], 0);
	note.flags = FLT_EVENT_LONG;
	assert_int_equal(flt_stream_causes_add(s, &note), 0);
	causes = flt_stream_causes_of(s, &f);
	assert_non_null(causes);
	assert_int_equal(causes->part[FLT_CAUSE_IO], (uint64_t)UINT32_MAX << 10);
	/* Notes of lost faults do not fill the memory. */
	for (i = 0; i < 100000; i++) {
		note.tid = i;
		assert_int_equal(flt_stream_causes_add(s, &note), 0);
	}
	f.tid = 99999;
	assert_non_null(flt_stream_causes_of(s, &f));
	f.tid = 1;
	assert_null(flt_stream_causes_of(s, &f));
	flt_stream_pending_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(exec_gets_its_mappings, begin, end),
		cmocka_unit_test_setup_teardown(library_stays_with_the_old_image, begin, end),
		cmocka_unit_test_setup_teardown(slow_exec_gets_its_mappings, begin, end),
		cmocka_unit_test_setup_teardown(kernel_fault_finds_its_mapping, begin, end),
		cmocka_unit_test_setup_teardown(reused_pid_gets_a_new_image, begin, end),
		cmocka_unit_test_setup_teardown(exit_note_has_the_last_name, begin, end),
		cmocka_unit_test_setup_teardown(offsets_are_pages_of_the_machine, begin, end),
		cmocka_unit_test(stacks_are_found_by_id),
		cmocka_unit_test(slices_are_found_by_thread),
		cmocka_unit_test(causes_are_parts_in_nanoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
