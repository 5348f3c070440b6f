// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/flt_event.h>

#include "resident.h"

#define SHMEM 2

/* Make one area from page 512 to 2048, with these pages. */
static void fill(struct flt_resident_pages *p, bool file, uint64_t first, uint64_t count,
		 unsigned int flags)
{
	uint64_t i;

	*p = (struct flt_resident_pages){ .page = page_size, .around = 16 };
	assert_int_equal(flt_resident_area_add(p, 512, 2048, "", file, 1), 0);
	for (i = 0; i < count; i++)
		assert_int_equal(flt_resident_page_add(p, first + i, flags), 0);
	assert_int_equal(flt_resident_pages_settle(p), 0);
}

static void last_fault_of_a_page_counts(void **state)
{
	struct flt_resident_pages p;

	(void)state;
	fill(&p, false, 600, 3, ANON);
	touch(&p, 600, FLT_KIND_ANON, 1);
	touch(&p, 600, FLT_KIND_ANON, 2);
	touch(&p, 601, FLT_KIND_UNKNOWN, 1);
	touch(&p, 601, FLT_KIND_UNKNOWN, 3);
	touch(&p, 700, FLT_KIND_ANON, 4);	/* not present at the moment */
	touch(&p, 4000, FLT_KIND_ANON, 4);	/* no mapping */
	assert_int_equal(owner_of(&p, 600), 2);
	assert_int_equal(owner_of(&p, 601), 3);
	assert_int_equal(owner_of(&p, 602), 0);
	flt_resident_pages_free(&p);
}

static void faults_on_present_pages_bring_nothing_in(void **state)
{
	static const uint8_t kinds[] = { FLT_KIND_WP, FLT_KIND_SPURIOUS, FLT_KIND_NUMA,
					 FLT_KIND_MIGRATION };
	struct flt_resident_pages p;
	struct flt_fault f = fault_at(600, FLT_KIND_ANON);
	size_t i;

	(void)state;
	fill(&p, false, 600, 1, ANON);
	touch(&p, 600, FLT_KIND_ANON, 1);
	for (i = 0; i < sizeof(kinds); i++)
		touch(&p, 600, kinds[i], 2);
	f.flags = FLT_FAULT_FAILED;
	flt_resident_fault(&p, &f, 2);
	f.flags = FLT_FAULT_REMOTE;
	flt_resident_fault(&p, &f, 2);
	assert_int_equal(owner_of(&p, 600), 1);
	flt_resident_pages_free(&p);
}

static void neighbours_of_a_file_belong_to_the_first_fault(void **state)
{
	struct flt_resident_pages p;

	(void)state;
	fill(&p, true, 600, 40, FILE_PAGE);
	touch(&p, 610, FLT_KIND_FILE, 1);	/* window 608 to 624 */
	touch(&p, 615, FLT_KIND_FILE, 2);
	touch(&p, 633, FLT_KIND_UNKNOWN, 3);	/* window 624 to 640 */
	assert_int_equal(owner_of(&p, 607), 0);
	assert_int_equal(owner_of(&p, 608), 1);
	assert_int_equal(owner_of(&p, 615), 2);
	assert_int_equal(owner_of(&p, 623), 1);
	assert_int_equal(owner_of(&p, 624), 3);
	assert_int_equal(owner_of(&p, 639), 3);
	flt_resident_pages_free(&p);

	/* The window begins with the mapping, and ends with the page table. */
	fill(&p, true, 512, 1000, FILE_PAGE);
	touch(&p, 1023, FLT_KIND_FILE, 1);
	assert_int_equal(owner_of(&p, 1008), 1);
	assert_int_equal(owner_of(&p, 1024), 0);
	flt_resident_pages_free(&p);
}

static void writes_and_major_faults_of_files(void **state)
{
	struct flt_resident_pages p;
	struct flt_fault f = fault_at(610, FLT_KIND_FILE);

	(void)state;
	fill(&p, true, 600, 40, FILE_PAGE);
	p.flags[612 - 600] = ANON;
	touch(&p, 612, FLT_KIND_COW, 1);
	touch(&p, 613, FLT_KIND_SHARED, 2);
	assert_int_equal(owner_of(&p, 612), 1);
	assert_int_equal(owner_of(&p, 611), 0);
	assert_int_equal(owner_of(&p, 614), 0);
	/* A major fault maps what was cached; a minor one maps all that is cached then. */
	f.flags = FLT_FAULT_MAJOR;
	flt_resident_fault(&p, &f, 3);
	assert_int_equal(owner_of(&p, 620), 3);
	touch(&p, 611, FLT_KIND_FILE, 4);
	assert_int_equal(owner_of(&p, 610), 3);
	assert_int_equal(owner_of(&p, 611), 4);
	assert_int_equal(owner_of(&p, 620), 4);
	flt_resident_pages_free(&p);
}

/* Anonymous memory was at the addresses before, and its pages are gone. */
static void pages_of_a_file_are_no_anonymous_ones(void **state)
{
	struct flt_resident_pages p;

	(void)state;
	fill(&p, true, 600, 40, FILE_PAGE);
	touch(&p, 610, FLT_KIND_ANON, 1);
	touch(&p, 611, FLT_KIND_COW, 1);
	assert_int_equal(owner_of(&p, 610), 0);
	touch(&p, 615, FLT_KIND_FILE, 2);
	assert_int_equal(owner_of(&p, 610), 2);
	assert_int_equal(owner_of(&p, 611), 2);
	flt_resident_pages_free(&p);
}

static void huge_pages_have_one_owner(void **state)
{
	struct flt_resident_pages p;

	(void)state;
	fill(&p, false, 1024, 512, FLT_RESIDENT_HUGE);
	touch(&p, 1030, FLT_KIND_HUGE, 1);
	assert_int_equal(owner_of(&p, 1024), 1);
	assert_int_equal(owner_of(&p, 1535), 1);
	flt_resident_pages_free(&p);

	/* khugepaged: pages that were not touched have no fault. */
	fill(&p, false, 1024, 512, FLT_RESIDENT_HUGE);
	touch(&p, 1030, FLT_KIND_ANON, 1);
	assert_int_equal(owner_of(&p, 1030), 1);
	assert_int_equal(owner_of(&p, 1031), 0);
	flt_resident_collapsed(&p, 9);
	assert_int_equal(owner_of(&p, 1030), 1);
	assert_int_equal(owner_of(&p, 1031), 9);
	assert_int_equal(owner_of(&p, 1535), 9);
	flt_resident_pages_free(&p);

	/* No collapse: a huge page without any fault, small pages, and pages of a file. */
	fill(&p, false, 1024, 512, FLT_RESIDENT_HUGE);
	flt_resident_collapsed(&p, 9);
	assert_int_equal(owner_of(&p, 1031), 0);
	flt_resident_pages_free(&p);
	fill(&p, false, 1024, 512, ANON);
	touch(&p, 1030, FLT_KIND_ANON, 1);
	flt_resident_collapsed(&p, 9);
	assert_int_equal(owner_of(&p, 1031), 0);
	flt_resident_pages_free(&p);
	fill(&p, true, 1024, 512, FLT_RESIDENT_HUGE | FILE_PAGE);
	touch(&p, 1030, FLT_KIND_COW, 1);
	flt_resident_collapsed(&p, 9);
	assert_int_equal(owner_of(&p, 1031), 0);
	flt_resident_pages_free(&p);

	/* Without kinds, the last fault takes pages without one. */
	fill(&p, false, 1024, 512, FLT_RESIDENT_HUGE);
	touch(&p, 1030, FLT_KIND_UNKNOWN, 1);
	touch(&p, 1040, FLT_KIND_UNKNOWN, 2);
	assert_int_equal(owner_of(&p, 1030), 1);
	assert_int_equal(owner_of(&p, 1535), 2);
	flt_resident_pages_free(&p);

	/* Split after the fault. */
	fill(&p, false, 1024, 100, ANON);
	touch(&p, 1030, FLT_KIND_HUGE, 1);
	touch(&p, 1031, FLT_KIND_COW, 2);
	assert_int_equal(owner_of(&p, 1100), 1);
	assert_int_equal(owner_of(&p, 1031), 2);
	flt_resident_pages_free(&p);
}

/* Make folios of 16 pages, from page 608 to 656. */
static void fill_folios(struct flt_resident_pages *p, unsigned int flags)
{
	uint64_t i;

	*p = (struct flt_resident_pages){ .page = page_size, .around = 1 };
	assert_int_equal(flt_resident_area_add(p, 512, 630, "", flags == SHMEM, 1), 0);
	assert_int_equal(flt_resident_area_add(p, 630, 2048, "", flags == SHMEM, 1), 0);
	for (i = 608; i < 656; i++)
		assert_int_equal(flt_resident_page_add(p, i, flags | (i % 16 ?
					FLT_RESIDENT_TAIL : 0)), 0);
	assert_int_equal(flt_resident_pages_settle(p), 0);
}

static void large_folios_belong_to_the_fault_that_filled_them(void **state)
{
	struct flt_resident_pages p;

	(void)state;
	fill_folios(&p, ANON);
	touch(&p, 629, FLT_KIND_ANON, 1);	/* then the mapping was split */
	assert_int_equal(owner_of(&p, 623), 0);
	assert_int_equal(owner_of(&p, 624), 1);
	assert_int_equal(owner_of(&p, 639), 1);
	assert_int_equal(owner_of(&p, 640), 0);
	/* Filled anew, after MADV_DONTNEED; then swapped in. */
	touch(&p, 639, FLT_KIND_ANON, 2);
	assert_int_equal(owner_of(&p, 624), 2);
	assert_int_equal(owner_of(&p, 629), 2);
	touch(&p, 624, FLT_KIND_SWAP, 3);
	assert_int_equal(owner_of(&p, 639), 3);
	/* These kinds bring in one page only. */
	touch(&p, 625, FLT_KIND_COW, 4);
	touch(&p, 626, FLT_KIND_UFFD, 5);
	assert_int_equal(owner_of(&p, 624), 3);
	assert_int_equal(owner_of(&p, 625), 4);
	assert_int_equal(owner_of(&p, 626), 5);
	/* Without kinds, pages with a fault of their own keep it. */
	touch(&p, 650, FLT_KIND_UNKNOWN, 6);
	touch(&p, 651, FLT_KIND_UNKNOWN, 7);
	assert_int_equal(owner_of(&p, 650), 6);
	assert_int_equal(owner_of(&p, 655), 7);
	flt_resident_pages_free(&p);

	/* The first fault of a folio of shared memory maps all of it. */
	fill_folios(&p, SHMEM);
	touch(&p, 625, FLT_KIND_SHARED, 1);
	touch(&p, 626, FLT_KIND_SHARED, 2);
	assert_int_equal(owner_of(&p, 624), 1);
	assert_int_equal(owner_of(&p, 626), 2);
	assert_int_equal(owner_of(&p, 639), 1);
	flt_resident_pages_free(&p);
}

static void hugetlb_pages_are_whole(void **state)
{
	struct flt_resident_pages p = { .page = page_size, .around = 16 };
	uint64_t i;

	(void)state;
	assert_int_equal(flt_resident_area_add(&p, 512, 2048, "", true, 512), 0);
	for (i = 512; i < 1536; i++)
		assert_int_equal(flt_resident_page_add(&p, i, 3), 0);
	assert_int_equal(flt_resident_pages_settle(&p), 0);
	touch(&p, 700, FLT_KIND_HUGETLB, 1);
	assert_int_equal(owner_of(&p, 512), 1);
	assert_int_equal(owner_of(&p, 1023), 1);
	assert_int_equal(owner_of(&p, 1024), 0);
	flt_resident_pages_free(&p);
}

static void pages_take_little_memory(void **state)
{
	struct flt_resident_pages p = { .page = page_size, .around = 16 };
	uint64_t i;

	(void)state;
	/* The worst case: no two pages are adjacent. */
	assert_int_equal(flt_resident_area_add(&p, 0, 1 << 22, "", false, 1), 0);
	for (i = 0; i < 1 << 20; i++)
		assert_int_equal(flt_resident_page_add(&p, i * 2, ANON), 0);
	assert_int_equal(flt_resident_pages_settle(&p), 0);
	assert_true(flt_resident_pages_bytes(&p) <= (uint64_t)p.count * FLT_RESIDENT_PAGE_BYTES);
	assert_int_equal(p.count, 1 << 20);
	flt_resident_pages_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_fault_of_a_page_counts),
		cmocka_unit_test(faults_on_present_pages_bring_nothing_in),
		cmocka_unit_test(neighbours_of_a_file_belong_to_the_first_fault),
		cmocka_unit_test(writes_and_major_faults_of_files),
		cmocka_unit_test(pages_of_a_file_are_no_anonymous_ones),
		cmocka_unit_test(huge_pages_have_one_owner),
		cmocka_unit_test(large_folios_belong_to_the_fault_that_filled_them),
		cmocka_unit_test(hugetlb_pages_are_whole),
		cmocka_unit_test(pages_take_little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
