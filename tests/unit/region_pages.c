// SPDX-License-Identifier: GPL-2.0-or-later
/* Test that the pages of regions have the size of the machine that has the faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/memory/advice.h"
#include "model/memory/regions.h"

/* A machine with pages of this size. Each test uses memory at an address of its own. */
static struct flt_regions *g;
static struct flt_page_size size;
static uint64_t page, huge;

static void map(uint64_t start, uint64_t bytes, uint64_t inode, uint64_t offset, const char *name)
{
	const struct flt_region_area a = {
		.start = start, .end = start + bytes, .page = offset, .inode = inode, .name = name,
		.of = inode ? FLT_AREA_FILE : FLT_AREA_ANON, .protection = 3,
	};

	assert_int_equal(flt_regions_area(g, 1, &a), 0);
}

static void fault(uint64_t address, unsigned int kind)
{
	static uint64_t now = 1000;
	const struct flt_fault f = {
		.time = now += 1000, .address = address, .image = 1, .tid = 7, .latency = 10,
		.weight = 1, .kind = (uint8_t)kind,
	};

	assert_int_equal(flt_regions_fault(g, &f), 0);
}

static const struct flt_region *find(const char *label)
{
	char text[128];
	uint32_t i;

	for (i = 0; i < g->count; i++) {
		flt_region_label(g, &g->rows[i], text, sizeof(text));
		if (!strcmp(text, label))
			return &g->rows[i];
	}
	fail_msg("no region %s", label);
	return NULL;
}

static enum flt_advice advice_of(const struct flt_region *r)
{
	const struct flt_advice_all all = { .faults = 1000, .latency = 10000, .page = size };
	struct flt_verdict v = flt_pattern_classify(r->pattern);

	return flt_advice_for(r, &v, &all);
}

/* 512, 2048 or 8192 pages: 2, 32 or 512 MiB */
static void huge_fault_brings_in_a_page_table(void)
{
	const uint64_t base = 1ull << 40;
	const struct flt_region *r;

	map(base, 2 * huge, 0, 0, "a");
	fault(base + 5 * page, FLT_KIND_HUGE);
	fault(base + huge - page, FLT_KIND_ANON);
	fault(base + huge, FLT_KIND_ANON);
	r = find("[anon:a]");
	assert_int_equal(r->distinct, page / 8 + 1);
	assert_int_equal(r->pages, page / 8 + 2);
	assert_int_equal(r->refaults, 1);
}

static void all_bytes_of_a_page_are_one_page(void)
{
	const uint64_t base = 2ull << 40;
	uint64_t i;

	map(base, 16 * page, 0, 0, "b");
	for (i = 0; i < page; i += 4096)
		fault(base + 9 * page + i, FLT_KIND_ANON);
	assert_int_equal(find("[anon:b]")->distinct, 1);
}

/* The mapping keeps the place of the file. */
static void mapping_that_grows_downward_is_one_region(void)
{
	const uint64_t base = 3ull << 40;
	uint32_t i, n;

	map(base + 8 * page, 8 * page, 9, 8, "");
	fault(base + 8 * page, FLT_KIND_FILE);
	map(base + 4 * page, 12 * page, 9, 4, "");
	fault(base + 8 * page, FLT_KIND_FILE);
	for (n = i = 0; i < g->count; i++)
		n += g->rows[i].area.inode == 9;
	assert_int_equal(n, 1);
}

static void huge_pages_help_from_one_huge_page_on(void)
{
	const uint64_t base = 4ull << 40;
	const struct flt_region *r;
	uint64_t i;

	map(base, huge, 0, 0, "c");
	for (i = 0; i < huge - page; i += page)
		fault(base + i, FLT_KIND_ANON);
	r = find("[anon:c]");
	assert_int_equal(advice_of(r), FLT_ADVICE_POPULATE);
	fault(base + i, FLT_KIND_ANON);
	assert_int_equal(advice_of(r), FLT_ADVICE_HUGE);
}

static void pages_have_the_size_of_their_machine(void **unused)
{
	static const uint64_t sizes[] = { 4 << 10, 16 << 10, 64 << 10 };
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		page = sizes[i];
		huge = page / 8 * page;
		size = flt_page_size_of(page, 0);
		assert_int_equal(flt_regions_new(&g, size, 16), 0);
		huge_fault_brings_in_a_page_table();
		all_bytes_of_a_page_are_one_page();
		mapping_that_grows_downward_is_one_region();
		huge_pages_help_from_one_huge_page_on();
		flt_regions_free(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_have_the_size_of_their_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
