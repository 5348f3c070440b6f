// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/flt_event.h>

#include "model/resident/moment.h"
#include "resident.h"

static void add_kind(struct flt_moment *m, uint32_t image, uint64_t page, uint64_t time,
		     uint32_t place, uint8_t kind)
{
	struct flt_fault f = fault_at(page, kind);

	f.image = image;
	f.time = time;
	assert_int_equal(flt_moment_fault(m, &f, place), 0);
}

/* Add a fault of an image at a page and a time. */
static void add(struct flt_moment *m, uint32_t image, uint64_t page, uint64_t time, uint32_t place)
{
	add_kind(m, image, page, time, place, FLT_KIND_ANON);
}

static void children_have_the_pages_of_their_parents(void **state)
{
	struct flt_moment m = { .page = page_size, .time = 100 };
	struct flt_resident_process *p;
	uint64_t i;
	int k;

	(void)state;
	for (k = 0; k < 2; k++) {
		p = flt_moment_process(&m, 10 + (uint32_t)k);
		assert_non_null(p);
		assert_int_equal(flt_resident_area_add(&p->pages, 0, 100, "", false, 1), 0);
		for (i = 0; i < 4; i++)
			assert_int_equal(flt_resident_page_add(&p->pages, i, ANON), 0);
		assert_int_equal(flt_resident_pages_settle(&p->pages), 0);
	}
	/* Process 1 is image 7, a child of image 3 since time 50. */
	assert_int_equal(flt_moment_ancestor(&m, 7, 1, UINT64_MAX), 0);
	assert_int_equal(flt_moment_ancestor(&m, 3, 1, 50), 0);
	assert_int_equal(flt_moment_ancestor(&m, 3, 0, UINT64_MAX), 0);
	assert_int_equal(flt_moment_begin(&m), 0);
	add(&m, 3, 0, 10, 1);
	add(&m, 3, 1, 60, 1);	/* after the fork: the parent only */
	add(&m, 7, 0, 61, 2);	/* copied on write */
	add(&m, 3, 2, 20, 3);
	add(&m, 9, 3, 20, 4);	/* of another image */
	add(&m, 3, 3, 101, 5);	/* after the moment */
	p = m.processes;
	assert_int_equal(m.owners[owner_of(&p[0].pages, 0)].place, 1);
	assert_int_equal(m.owners[owner_of(&p[1].pages, 0)].place, 2);
	assert_int_equal(m.owners[owner_of(&p[1].pages, 0)].image, 7);
	assert_int_equal(m.owners[owner_of(&p[0].pages, 1)].place, 1);
	assert_int_equal(owner_of(&p[1].pages, 1), 0);
	assert_int_equal(m.owners[owner_of(&p[1].pages, 2)].image, 3);
	assert_int_equal(owner_of(&p[0].pages, 3), 0);
	assert_int_equal(m.owners[0].image, 0);
	flt_moment_free(&m);
}

static void children_map_files_and_shared_memory_themselves(void **state)
{
	struct flt_moment m = { .page = page_size, .time = 100 };
	struct flt_resident_process *p = flt_moment_process(&m, 10);
	uint64_t i;

	(void)state;
	p->pages.around = 4;
	assert_int_equal(flt_resident_area_add(&p->pages, 0, 100, "", FLT_RESIDENT_FILE |
					       FLT_RESIDENT_ALONE, 1), 0);
	assert_int_equal(flt_resident_area_add(&p->pages, 100, 200, "", FLT_RESIDENT_FILE, 1), 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(flt_resident_page_add(&p->pages, i, FILE_PAGE), 0);
	for (i = 100; i < 104; i++)
		assert_int_equal(flt_resident_page_add(&p->pages, i, FILE_PAGE), 0);
	assert_int_equal(flt_resident_pages_settle(&p->pages), 0);
	assert_int_equal(flt_moment_ancestor(&m, 7, 0, UINT64_MAX), 0);
	assert_int_equal(flt_moment_ancestor(&m, 3, 0, 50), 0);
	/* What the parent moved here before the fork. */
	assert_int_equal(flt_moment_move(&m, 0, &(struct flt_resident_move){
		20, 400 << page_size.shift, 404 << page_size.shift, 0 }), 0);
	assert_int_equal(flt_moment_begin(&m), 0);
	add_kind(&m, 3, 400, 10, 1, FLT_KIND_SHARED);
	for (i = 0; i < 8; i++)
		add_kind(&m, 3, i, 30, 1, FLT_KIND_SHARED);
	add_kind(&m, 3, 101, 30, 1, FLT_KIND_SHARED);
	add_kind(&m, 7, 1, 60, 2, FLT_KIND_FILE);
	p = m.processes;
	for (i = 0; i < 4; i++)
		assert_int_equal(m.owners[owner_of(&p->pages, i)].place, 2);
	assert_int_equal(owner_of(&p->pages, 4), 0);
	assert_int_equal(m.owners[owner_of(&p->pages, 101)].place, 1);
	flt_moment_free(&m);
}

/* Add a move of pages [first, end) of a process. */
static void move(struct flt_moment *m, uint32_t process, uint64_t time, uint64_t first,
		 uint64_t end, uint64_t to)
{
	const struct flt_resident_move moved = {
		time, first << page_size.shift, end << page_size.shift, to << page_size.shift
	};

	assert_int_equal(flt_moment_move(m, process, &moved), 0);
}

/* Make a process whose image has its number, with pages from first to end. */
static void make_process(struct flt_moment *m, uint32_t image, uint64_t first, uint64_t end)
{
	struct flt_resident_process *p = flt_moment_process(m, 10 + image);

	assert_non_null(p);
	assert_int_equal(flt_resident_area_add(&p->pages, 0, 1 << 20, "", false, 1), 0);
	for (; first < end; first++)
		assert_int_equal(flt_resident_page_add(&p->pages, first, ANON), 0);
	assert_int_equal(flt_resident_pages_settle(&p->pages), 0);
	assert_int_equal(flt_moment_ancestor(m, image, (uint32_t)m->count - 1, UINT64_MAX), 0);
}

static uint32_t place_of(const struct flt_moment *m, uint32_t process, uint64_t page)
{
	return m->owners[owner_of(&m->processes[process].pages, page)].place;
}

static void pages_keep_their_owner_when_they_move(void **state)
{
	struct flt_moment m = { .page = page_size, .time = 1000 };

	(void)state;
	make_process(&m, 1, 5000, 5010);
	/* In any order: 100 to 200, to 300, to 5000. */
	move(&m, 0, 60, 300, 308, 5000);
	move(&m, 0, 20, 100, 104, 200);
	move(&m, 0, 40, 200, 206, 300);
	move(&m, 0, 30, 700, 704, 800);		/* nothing of it is left */
	move(&m, 0, 2000, 5000, 5010, 100);	/* after the moment */
	assert_int_equal(flt_moment_begin(&m), 0);
	assert_int_equal(m.processes[0].moves.count, 3);
	add(&m, 1, 100, 10, 1);
	add(&m, 1, 101, 10, 2);
	add(&m, 1, 300, 15, 3);		/* unmapped when pages came to 300 */
	add(&m, 1, 205, 30, 4);		/* behind the pages that came to 200 */
	add(&m, 1, 101, 35, 5);		/* a new mapping at the old place */
	add(&m, 1, 307, 50, 6);
	add(&m, 1, 5001, 65, 7);	/* replaces the owner after the last move */
	add(&m, 1, 5009, 55, 8);
	assert_int_equal(place_of(&m, 0, 5000), 1);
	assert_int_equal(place_of(&m, 0, 5001), 7);
	assert_int_equal(place_of(&m, 0, 5002), 0);
	assert_int_equal(place_of(&m, 0, 5005), 4);
	assert_int_equal(place_of(&m, 0, 5007), 6);
	assert_int_equal(place_of(&m, 0, 5009), 8);
	flt_moment_free(&m);
}

static void replaced_mappings_have_no_older_pages(void **state)
{
	struct flt_moment m = { .page = page_size, .time = 1000 };
	struct flt_resident_move r[4];
	size_t i;

	(void)state;
	make_process(&m, 1, 100, 110);
	r[0] = flt_resident_replaced(20, 102 << 12, 104 << 12);
	r[1] = flt_resident_replaced(40, 102 << 12, 106 << 12);		/* makes the first one needless */
	r[2] = flt_resident_replaced(50, 300 << 12, 310 << 12);		/* nothing is there */
	r[3] = flt_resident_replaced(2000, 100 << 12, 110 << 12);	/* after the moment */
	for (i = 0; i < 4; i++)
		assert_int_equal(flt_moment_move(&m, 0, &r[i]), 0);
	assert_int_equal(flt_moment_begin(&m), 0);
	assert_int_equal(m.processes[0].moves.count, 1);
	add(&m, 1, 101, 10, 1);
	add(&m, 1, 102, 10, 1);
	add(&m, 1, 103, 30, 2);
	add(&m, 1, 104, 40, 3);		/* of the new mapping */
	add(&m, 1, 105, 45, 4);
	add(&m, 1, 106, 10, 5);
	assert_int_equal(place_of(&m, 0, 101), 1);
	assert_int_equal(place_of(&m, 0, 102), 0);
	assert_int_equal(place_of(&m, 0, 103), 0);
	assert_int_equal(place_of(&m, 0, 104), 3);
	assert_int_equal(place_of(&m, 0, 105), 4);
	assert_int_equal(place_of(&m, 0, 106), 5);
	flt_moment_free(&m);

	/* A page that moved in between needs the first one, too. */
	m = (struct flt_moment){ .page = page_size, .time = 1000 };
	make_process(&m, 1, 100, 110);
	assert_int_equal(flt_moment_move(&m, 0, &r[0]), 0);
	assert_int_equal(flt_moment_move(&m, 0, &r[1]), 0);
	move(&m, 0, 30, 102, 104, 108);
	assert_int_equal(flt_moment_begin(&m), 0);
	add(&m, 1, 102, 10, 1);
	add(&m, 1, 103, 25, 2);
	assert_int_equal(place_of(&m, 0, 108), 0);
	assert_int_equal(place_of(&m, 0, 109), 2);
	flt_moment_free(&m);
}

static void huge_pages_move_page_by_page(void **state)
{
	struct flt_moment m = { .page = page_size, .time = 1000 };
	struct flt_fault f = fault_at(1024 + 7, FLT_KIND_HUGE);

	(void)state;
	make_process(&m, 1, 1024, 1024 + 200);
	make_process(&m, 2, 5100, 5100 + 312);
	assert_int_equal(flt_moment_ancestor(&m, 1, 1, 50), 0);
	/* The child moves the second part to a place that is no boundary of huge pages. */
	move(&m, 1, 60, 1024 + 200, 1024 + 512, 5100);
	assert_int_equal(flt_moment_begin(&m), 0);
	f.image = 1;
	f.time = 10;
	assert_int_equal(flt_moment_fault(&m, &f, 9), 0);
	f.address = fault_at(1024 + 300, FLT_KIND_HUGE).address;
	f.time = 11;
	assert_int_equal(flt_moment_fault(&m, &f, 9), 0);
	assert_int_equal(place_of(&m, 0, 1024), 9);
	assert_int_equal(place_of(&m, 0, 1223), 9);
	assert_int_equal(place_of(&m, 1, 5100), 9);
	assert_int_equal(place_of(&m, 1, 5411), 9);
	flt_moment_free(&m);
}

/* Pages of 16 KiB: huge pages have 2048 pages, and a window of 4 pages is within a page table. */
static void pages_have_the_size_of_their_machine(void **state)
{
	struct flt_moment m = { .time = 1000 };
	struct flt_resident_pages p;
	struct flt_fault f;
	uint64_t i;

	(void)state;
	page_size = flt_page_size_of(16384, 0);
	p = (struct flt_resident_pages){ .page = page_size, .around = 4 };
	assert_int_equal(flt_resident_area_add(&p, 0, 6144, "", true, 1), 0);
	for (i = 2000; i < 4100; i++)
		assert_int_equal(flt_resident_page_add(&p, i, FILE_PAGE), 0);
	assert_int_equal(flt_resident_pages_settle(&p), 0);
	touch(&p, 2050, FLT_KIND_FILE, 1);
	assert_int_equal(owner_of(&p, 2047), 0);
	assert_int_equal(owner_of(&p, 2048), 1);
	assert_int_equal(owner_of(&p, 2051), 1);
	assert_int_equal(owner_of(&p, 2052), 0);
	touch(&p, 3000, FLT_KIND_HUGE, 2);
	assert_int_equal(owner_of(&p, 2047), 0);
	assert_int_equal(owner_of(&p, 2049), 1);
	assert_int_equal(owner_of(&p, 2500), 2);
	assert_int_equal(owner_of(&p, 4095), 2);
	assert_int_equal(owner_of(&p, 4096), 0);
	flt_resident_pages_free(&p);

	m.page = page_size;
	make_process(&m, 1, 2048, 2048 + 200);
	f = fault_at(2048 + 2047, FLT_KIND_HUGE);
	f.image = 1;
	f.time = 10;
	make_process(&m, 2, 9000, 9000 + 1848);
	assert_int_equal(flt_moment_ancestor(&m, 1, 1, UINT64_MAX), 0);
	move(&m, 1, 60, 2048 + 200, 4096, 9000);
	assert_int_equal(flt_moment_begin(&m), 0);
	assert_int_equal(flt_moment_fault(&m, &f, 9), 0);
	assert_int_equal(place_of(&m, 0, 2048), 9);
	assert_int_equal(place_of(&m, 0, 2247), 9);
	assert_int_equal(place_of(&m, 1, 9000), 9);
	assert_int_equal(place_of(&m, 1, 9000 + 1847), 9);
	flt_moment_free(&m);
	page_size = flt_page_size_of(4096, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_have_the_pages_of_their_parents),
		cmocka_unit_test(children_map_files_and_shared_memory_themselves),
		cmocka_unit_test(pages_keep_their_owner_when_they_move),
		cmocka_unit_test(replaced_mappings_have_no_older_pages),
		cmocka_unit_test(huge_pages_move_page_by_page),
		cmocka_unit_test(pages_have_the_size_of_their_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
