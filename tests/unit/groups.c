// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "model/counts/groups.h"
#include "model/counts/growth.h"

/* The counter of minor faults is the first of the list. */
#define MINOR 0

static struct flt_row row(uint64_t id, uint64_t minor)
{
	return (struct flt_row){ .id = id, .account = { .minor = minor, .latency_max = 99 } };
}

static void add(struct flt_groups *g, uint64_t id, uint64_t minor, const char *name)
{
	struct flt_row r = row(id, minor);

	assert_int_equal(flt_groups_add(g, &r, name), 0);
}

static void end(struct flt_groups *g, bool complete, uint64_t rowless)
{
	const struct flt_account account = { .minor = rowless };

	flt_groups_end(g, complete, &account);
}

/* Return the minor faults of a group by name, or UINT64_MAX. */
static uint64_t minor_of(const struct flt_groups *g, const char *name)
{
	const struct flt_group *group;
	size_t i;

	for (i = __FLT_GROUPS_FIXED; (group = flt_groups_at(g, i)); i++)
		if (group->name && !strcmp(group->name, name))
			return group->n[MINOR];
	return UINT64_MAX;
}

static uint64_t fixed(const struct flt_groups *g, size_t i)
{
	return flt_groups_at(g, i)->n[MINOR];
}

static uint64_t sum(const struct flt_groups *g)
{
	const struct flt_group *group;
	uint64_t n = 0;
	size_t i;

	for (i = 0; (group = flt_groups_at(g, i)); i++)
		n += group->n[MINOR];
	return n;
}

static void group_keeps_counts_of_ended_processes(void **state)
{
	struct flt_groups *g;

	(void)state;
	assert_int_equal(flt_groups_new(&g, 4), 0);
	flt_groups_begin(g);
	add(g, 1, 10, "/a");
	add(g, 2, 5, "/a");
	add(g, 3, 7, "/b");
	end(g, true, 100);
	assert_int_equal(minor_of(g, "/a"), 15);
	assert_int_equal(minor_of(g, "/b"), 7);
	assert_int_equal(fixed(g, FLT_GROUP_ENDED), 100);
	/* 1 ends with 3 more faults; its row is retired. */
	flt_groups_begin(g);
	add(g, 2, 6, "/a");
	add(g, 3, 7, NULL);
	end(g, true, 113);
	assert_int_equal(minor_of(g, "/a"), 16);
	assert_int_equal(minor_of(g, "/b"), 7);
	assert_int_equal(fixed(g, FLT_GROUP_ENDED), 103);
	flt_groups_free(g);
}

static void moved_process_leaves_its_counts(void **state)
{
	struct flt_groups *g;
	struct flt_row r = row(1, 10);

	(void)state;
	assert_int_equal(flt_groups_new(&g, 4), 0);
	flt_groups_begin(g);
	assert_true(flt_groups_counted(g, &r));
	add(g, 1, 10, "/a");
	assert_false(flt_groups_counted(g, &r));
	end(g, true, 0);
	flt_groups_begin(g);
	add(g, 1, 14, "/b");
	end(g, true, 0);
	assert_int_equal(minor_of(g, "/a"), 10);
	assert_int_equal(minor_of(g, "/b"), 4);
	flt_groups_free(g);
}

/* The row was retired after the sum of retired rows was read. */
static void early_sum_does_not_decrease(void **state)
{
	struct flt_groups *g;

	(void)state;
	assert_int_equal(flt_groups_new(&g, 4), 0);
	flt_groups_begin(g);
	add(g, 1, 10, "/a");
	end(g, true, 20);
	flt_groups_begin(g);
	end(g, true, 20);
	assert_int_equal(fixed(g, FLT_GROUP_ENDED), 20);
	flt_groups_begin(g);
	end(g, true, 31);
	assert_int_equal(fixed(g, FLT_GROUP_ENDED), 21);
	assert_int_equal(sum(g), 31);
	flt_groups_free(g);
}

static void rows_missing_in_incomplete_round_are_kept(void **state)
{
	struct flt_groups *g;

	(void)state;
	assert_int_equal(flt_groups_new(&g, 4), 0);
	flt_groups_begin(g);
	add(g, 1, 10, "/a");
	end(g, true, 0);
	flt_groups_begin(g);
	end(g, false, 0);
	flt_groups_begin(g);
	add(g, 1, 12, "/a");
	end(g, true, 0);
	assert_int_equal(minor_of(g, "/a"), 12);
	assert_int_equal(sum(g), 12);
	flt_groups_free(g);
}

/* A member that was dropped to save memory, and whose row is back, is not counted twice. */
static void dropped_member_is_counted_once(void **state)
{
	struct flt_groups *g;
	uint64_t id;

	(void)state;
	assert_int_equal(flt_groups_new(&g, 4), 0);
	flt_groups_begin(g);
	for (id = 1; id <= 5000; id++)
		add(g, id, 10, "/a");
	end(g, true, 0);
	flt_groups_begin(g);
	end(g, false, 0);
	flt_groups_begin(g);
	for (id = 1; id <= 5000; id++)
		add(g, id, 11, "/a");
	end(g, true, 0);
	/* Nobody saw the group in which the process counted while its row was missing. */
	assert_int_equal(minor_of(g, "/a"), 50000);
	assert_int_equal(fixed(g, FLT_GROUP_ENDED), 5000);
	flt_groups_begin(g);
	for (id = 1; id <= 5000; id++)
		add(g, id, 13, "/a");
	end(g, true, 0);
	assert_int_equal(minor_of(g, "/a"), 60000);
	flt_groups_begin(g);
	end(g, true, 5000 * 13);
	assert_int_equal(sum(g), 5000 * 13);
	flt_groups_free(g);
}

static void groups_are_bounded(void **state)
{
	struct flt_groups *g;
	char name[16];
	uint64_t id, before;
	int i;

	(void)state;
	assert_int_equal(flt_groups_new(&g, 2), 0);
	flt_groups_begin(g);
	for (id = 1; id <= 100; id++) {
		snprintf(name, sizeof(name), "/%u", (unsigned int)(id % 50));
		add(g, id, 1, name);
	}
	end(g, true, 0);
	assert_null(flt_groups_at(g, __FLT_GROUPS_FIXED + 2));
	assert_int_equal(minor_of(g, "/1"), 2);
	assert_int_equal(fixed(g, FLT_GROUP_OTHER), 96);
	assert_int_equal(flt_groups_hidden(g), 48);
	/* "/1" and "/2" are idle, so one of them makes room for "/3". */
	for (i = 0; i <= FLT_GROUP_IDLE; i++) {
		flt_groups_begin(g);
		end(g, true, 0);
	}
	before = fixed(g, FLT_GROUP_OTHER);
	flt_groups_begin(g);
	add(g, 200, 5, "/3");
	end(g, true, 100);
	assert_int_equal(minor_of(g, "/3"), 5);
	assert_true(fixed(g, FLT_GROUP_OTHER) >= before);
	assert_int_equal(sum(g), 105);
	flt_groups_free(g);
	assert_int_equal(flt_groups_new(&g, 0), 0);
	flt_groups_begin(g);
	add(g, 1, 5, "/a");
	end(g, true, 0);
	assert_int_equal(fixed(g, FLT_GROUP_OTHER), 5);
	flt_groups_free(g);
}

static void reload_of_module_keeps_groups(void **state)
{
	struct flt_groups *g;

	(void)state;
	assert_int_equal(flt_groups_new(&g, 4), 0);
	flt_groups_begin(g);
	add(g, 1, 10, "/a");
	end(g, true, 3);
	flt_groups_reset(g);
	flt_groups_begin(g);
	add(g, 1, 4, "/a");
	end(g, true, 1);
	assert_int_equal(minor_of(g, "/a"), 14);
	assert_int_equal(fixed(g, FLT_GROUP_ENDED), 4);
	flt_groups_free(g);
}

static void growth_never_decreases(void **state)
{
	uint64_t total[2] = { 0 }, last[2] = { 0 };

	(void)state;
	flt_growth_add(total, last, (const uint64_t[]){ 10, 5 }, 2);
	flt_growth_add(total, last, (const uint64_t[]){ 12, 4 }, 2);
	assert_int_equal(total[0], 12);
	assert_int_equal(total[1], 5);
	flt_growth_add(total, last, (const uint64_t[]){ 12, 6 }, 2);
	assert_int_equal(total[1], 6);
	/* The module was loaded again. */
	memset(last, 0, sizeof(last));
	flt_growth_add(total, last, (const uint64_t[]){ 3, 100 }, 2);
	assert_int_equal(total[0], 15);
	assert_int_equal(total[1], 106);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(group_keeps_counts_of_ended_processes),
		cmocka_unit_test(moved_process_leaves_its_counts),
		cmocka_unit_test(early_sum_does_not_decrease),
		cmocka_unit_test(rows_missing_in_incomplete_round_are_kept),
		cmocka_unit_test(dropped_member_is_counted_once),
		cmocka_unit_test(groups_are_bounded),
		cmocka_unit_test(reload_of_module_keeps_groups),
		cmocka_unit_test(growth_never_decreases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
