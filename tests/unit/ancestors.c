// SPDX-License-Identifier: GPL-2.0-or-later
/* Test which images explain the pages of a process in 'fltctl rss'. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "cmd/rss/rss.h"

static struct flt_recording *rec;
static struct flt_moment m;
static struct rss_joined j;

static void add_image(uint32_t id, uint32_t pid, uint32_t parent, uint32_t cause, uint64_t time)
{
	struct {
		struct flt_record_image image;
		char comm[8];
	} r = {
		.image = {
			.head = { .type = FLT_RECORD_IMAGE, .size = sizeof(r), .time = time, .image = id },
			.pid = pid, .parent = parent, .cause = cause,
		},
		.comm = "x",
	};

	assert_int_equal(flt_recording_record(rec, &r.image.head), 0);
}

static void add_move(uint32_t id, uint64_t time)
{
	struct flt_record_move r = {
		.head = { .type = FLT_RECORD_MOVE, .size = sizeof(r), .time = time, .image = id },
		.start = 0x1000, .end = 0x2000, .to = 0x8000,
	};

	assert_int_equal(flt_recording_record(rec, &r.head), 0);
}

/*
 * PID 10 is found, forks 20 at 100, which executes at 200 and forks 30 at 300, which forks 40 at
 * 400. PID 20 executes again at 500. PID 30 ends, and a child of 20 gets its PID at 700.
 */
static int begin(void **state)
{
	(void)state;
	j = (struct rss_joined){ .around = 16 };
	m = (struct flt_moment){ .page = { 12, 512 }, .time = 1000 };
	if (flt_recording_new(&rec))
		return -1;
	add_image(1, 10, 0, FLT_IMAGE_FOUND, 50);
	add_image(2, 20, 1, FLT_IMAGE_FORK, 100);
	add_image(3, 20, 2, FLT_IMAGE_EXEC, 200);
	add_image(4, 30, 3, FLT_IMAGE_FORK, 300);
	add_image(5, 40, 4, FLT_IMAGE_FORK, 400);
	add_image(6, 20, 3, FLT_IMAGE_EXEC, 500);
	add_image(7, 30, 6, FLT_IMAGE_FORK, 700);
	return 0;
}

static int end(void **state)
{
	(void)state;
	flt_moment_free(&m);
	flt_recording_free(rec);
	return 0;
}

static struct flt_resident_process *process(uint32_t pid)
{
	struct flt_resident_process *p = flt_moment_process(&m, pid);

	assert_non_null(p);
	assert_int_equal(rss_ancestors_add(&j, rec, &m, (uint32_t)m.count - 1), 0);
	return p;
}

static void expect(size_t i, uint32_t image, uint64_t until)
{
	assert_true(i < m.ancestor_count);
	assert_int_equal(m.ancestors[i].image, image);
	assert_int_equal(m.ancestors[i].until, until);
}

static void forks_go_back_to_the_last_exec(void **state)
{
	(void)state;
	assert_int_equal(process(40)->image, 5);
	assert_int_equal(m.ancestor_count, 3);
	expect(0, 5, UINT64_MAX);
	expect(1, 4, 400);
	expect(2, 3, 300);
	assert_false(m.processes[0].late);
	assert_false(j.late);
	assert_int_equal(m.processes[0].pages.around, 16);
}

static void an_exec_has_nothing_of_the_old_image(void **state)
{
	(void)state;
	assert_int_equal(process(20)->image, 6);
	assert_int_equal(m.ancestor_count, 1);
	expect(0, 6, UINT64_MAX);
}

static void images_are_those_of_the_moment(void **state)
{
	(void)state;
	m.time = 450;
	assert_int_equal(process(20)->image, 3);
	assert_int_equal(process(30)->image, 4);
	m.time = 150;
	assert_int_equal(process(20)->image, 2);
	expect(m.ancestor_count - 2, 2, UINT64_MAX);
	expect(m.ancestor_count - 1, 1, 100);
	assert_true(m.processes[2].late);
	assert_true(j.late);
	/* Unknown, or not yet there. */
	assert_int_equal(process(40)->image, 0);
	assert_int_equal(process(99)->image, 0);
}

static void a_pid_is_used_again(void **state)
{
	(void)state;
	assert_int_equal(process(30)->image, 7);
	assert_int_equal(m.ancestor_count, 2);
	expect(1, 6, 700);
}

static void moves_count_until_the_fork(void **state)
{
	(void)state;
	add_move(3, 250);	/* before 30 was forked */
	add_move(3, 350);	/* after */
	add_move(4, 380);
	add_move(4, 420);	/* after 40 was forked */
	add_move(5, 900);
	add_move(5, 1100);	/* after the moment */
	assert_int_equal(process(40)->moves.count, 3);
	assert_int_equal(m.processes[0].moves.all[0].time, 900);
	assert_int_equal(m.processes[0].moves.all[1].time, 380);
	assert_int_equal(m.processes[0].moves.all[2].time, 250);
	assert_int_equal(process(20)->moves.count, 0);
}

static void add_engine(const char *engine)
{
	struct {
		struct flt_record head;
		char text[24];
	} r = { .head = { .type = FLT_RECORD_INFO, .size = sizeof(r) } };

	snprintf(r.text, sizeof(r.text), "engine=%s", engine);
	assert_int_equal(flt_recording_record(rec, &r.head), 0);
}

static void add_map(uint64_t time, uint64_t start, uint64_t end, uint64_t inode, uint32_t flags,
		    const char *name)
{
	struct {
		struct flt_record_map map;
		char name[16];
	} r = {
		.map = {
			.head = { .type = FLT_RECORD_MAP, .size = sizeof(r), .time = time, .image = 6 },
			.start = start, .end = end, .inode = inode, .flags = flags,
		},
	};

	snprintf(r.name, sizeof(r.name), "%s", name);
	assert_int_equal(flt_recording_record(rec, &r.map.head), 0);
}

/* Add mappings of image 6, of which three replace others. */
static void add_maps(void)
{
	add_map(510, 0x1000, 0x5000, 0, FLT_MAP_READ, "//anon");
	add_map(520, 0x2000, 0x3000, 7, FLT_MAP_READ, "/file");			/* a file */
	add_map(530, 0x2000, 0x3000, 7, FLT_MAP_READ | FLT_MAP_EXEC, "/file");	/* mprotect */
	add_map(540, 0x2000, 0x3000, 7, FLT_MAP_READ, "/file (deleted)");
	add_map(550, 0x2000, 0x3000, 8, FLT_MAP_READ, "/file (deleted)");
	add_map(560, 0x3000, 0x6000, 0, FLT_MAP_READ, "[heap]");		/* it grows */
	add_map(570, 0x1000, 0x4000, 0, FLT_MAP_READ, "//anon");		/* the file */
	add_map(580, 0x5000, 0x9000, 0, FLT_MAP_SHARED, "//anon");		/* the heap */
}

static void mappings_replace_different_ones(void **state)
{
	const struct flt_resident_moves *moves;

	(void)state;
	add_engine("perf");
	add_maps();
	assert_int_equal(rec->replaced_count, 3);
	moves = &process(20)->moves;
	assert_int_equal(moves->count, 3);
	assert_int_equal(moves->all[0].time, 520);
	assert_int_equal(moves->all[0].to, 0x2000);
	assert_int_equal(moves->all[0].end - moves->all[0].start, 0x1000);
	assert_int_equal(moves->all[1].time, 570);
	assert_int_equal(moves->all[1].to, 0x2000);
	assert_int_equal(moves->all[1].end - moves->all[1].start, 0x1000);
	assert_int_equal(moves->all[2].time, 580);
	assert_int_equal(moves->all[2].to, 0x5000);
	assert_int_equal(moves->all[2].end - moves->all[2].start, 0x1000);
	/* Forked later. */
	assert_int_equal(process(30)->moves.count, 3);
}

static void the_module_may_report_a_mapping_late(void **state)
{
	(void)state;
	add_engine("module");
	add_maps();
	assert_int_equal(process(20)->moves.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(forks_go_back_to_the_last_exec, begin, end),
		cmocka_unit_test_setup_teardown(an_exec_has_nothing_of_the_old_image, begin, end),
		cmocka_unit_test_setup_teardown(images_are_those_of_the_moment, begin, end),
		cmocka_unit_test_setup_teardown(a_pid_is_used_again, begin, end),
		cmocka_unit_test_setup_teardown(moves_count_until_the_fork, begin, end),
		cmocka_unit_test_setup_teardown(mappings_replace_different_ones, begin, end),
		cmocka_unit_test_setup_teardown(the_module_may_report_a_mapping_late, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
