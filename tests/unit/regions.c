// SPDX-License-Identifier: GPL-2.0-or-later
/* Test how faults are assigned to regions, what counts as a refault, and the heat map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/memory/regions.h"
#include "model/memory/advice.h"
#include "timeline/regions.h"
#include "timeline/timeline.h"

#define P 4096ull

static struct flt_regions *g;
static struct flt_page_size page_size;

static int begin(void **unused)
{
	(void)unused;
	page_size = flt_page_size_of(P, 0);
	return flt_regions_new(&g, page_size, 16);
}

static int end(void **unused)
{
	(void)unused;
	flt_regions_free(g);
	return 0;
}

static void map(uint32_t image, uint64_t start, uint64_t pages, unsigned int of, uint64_t inode, uint64_t offset,
		const char *name)
{
	const struct flt_region_area a = {
		.start = start, .end = start + pages * P, .of = (uint8_t)of, .protection = 3, .inode = inode,
		.page = offset, .name = name,
	};

	assert_int_equal(flt_regions_area(g, image, &a), 0);
}

static uint64_t now = 1000;

static void fault(uint32_t image, uint64_t address, unsigned int kind, uint32_t flags)
{
	const struct flt_fault f = {
		.time = now += 1000, .address = address, .image = image, .tid = 7, .latency = 10, .weight = 1,
		.kind = (uint8_t)kind, .flags = flags,
	};

	assert_int_equal(flt_regions_fault(g, &f), 0);
}

static const struct flt_region *find(uint32_t image, const char *label, size_t *count)
{
	const struct flt_region *found = NULL;
	char text[128];
	uint32_t i;

	*count = 0;
	for (i = 0; i < g->count; i++) {
		flt_region_label(g, &g->rows[i], text, sizeof(text));
		if (g->rows[i].image != image || strcmp(text, label))
			continue;
		found = &g->rows[i];
		++*count;
	}
	return found;
}

static void mapping_that_grows_stays_one_region(void **unused)
{
	const struct flt_region *r;
	size_t n;

	(void)unused;
	map(1, 0x10000, 4, FLT_AREA_HEAP, 0, 0, "");
	fault(1, 0x10000, FLT_KIND_ANON, 0);
	map(1, 0x10000, 64, FLT_AREA_HEAP, 0, 0, "");
	fault(1, 0x30000, FLT_KIND_ANON, 0);
	/* A stack grows down. Later mappings cover only parts of the heap and the stack. */
	map(1, 0x7ff0000, 4, FLT_AREA_STACK, 0, 0, "");
	fault(1, 0x7ff1000, FLT_KIND_ANON, 0);
	map(1, 0x7fe0000, 20, FLT_AREA_STACK, 0, 0, "");
	fault(1, 0x7fe1000, FLT_KIND_ANON, 0);
	map(1, 0x20000, 2, FLT_AREA_HEAP, 0, 0, "");
	fault(1, 0x20000, FLT_KIND_ANON, 0);
	r = find(1, "[heap]", &n);
	assert_int_equal(n, 1);
	assert_int_equal(flt_region_faults(r), 3);
	assert_int_equal(r->area.end, 0x10000 + 64 * P);
	r = find(1, "[stack]", &n);
	assert_int_equal(n, 1);
	assert_int_equal(flt_region_faults(r), 2);
	assert_int_equal(r->area.start, 0x7fe0000);
}

/* A fault belongs to the area that was mapped at its time, not to a later one. */
static void fault_belongs_to_mapping_at_its_time(void **unused)
{
	const struct flt_region *r;
	size_t n;

	(void)unused;
	map(1, 0x100000, 16, FLT_AREA_FILE, 5, 0, "");
	fault(1, 0x100000, FLT_KIND_FILE, 0);
	map(1, 0x100000, 16, FLT_AREA_FILE, 6, 0, "");
	flt_regions_path(g, 0, 6, "/b");
	fault(1, 0x100000, FLT_KIND_FILE, FLT_FAULT_MAJOR);
	/* File 6 was removed and its inode number reused. */
	flt_regions_path(g, 0, 6, "/c");
	map(1, 0x100000, 16, FLT_AREA_FILE, 6, 0, "");
	fault(1, 0x100000, FLT_KIND_FILE, 0);
	map(1, 0x100000, 16, FLT_AREA_ANON, 0, 0, "arena");
	fault(1, 0x100000, FLT_KIND_ANON, 0);
	map(1, 0x100000, 16, FLT_AREA_ANON, 0, 0, "");
	fault(1, 0x100000, FLT_KIND_ANON, 0);
	fault(1, 0x900000, FLT_KIND_ANON, 0);
	fault(1, 0x900000, FLT_KIND_ANON, FLT_FAULT_REMOTE);
	/* The path of a file may arrive after its faults. */
	flt_regions_path(g, 0, 5, "/a");
	r = find(1, "/a", &n);
	assert_int_equal(r->minor, 1);
	r = find(1, "/b", &n);
	assert_int_equal(r->major, 1);
	assert_int_equal(r->refaults, 0);
	assert_int_equal(r->minor, 0);
	assert_int_equal(flt_region_faults(find(1, "/c", &n)), 1);
	assert_int_equal(flt_region_faults(find(1, "[anon:arena]", &n)), 1);
	assert_int_equal(flt_region_faults(find(1, "[anon]", &n)), 1);
	assert_int_equal(flt_region_faults(find(1, "[unknown]", &n)), 1);
	assert_int_equal(flt_region_faults(find(1, "[remote]", &n)), 1);
}

/* The loader maps the segments of a library over a mapping of the whole file. */
static void library_segments_are_one_region(void **unused)
{
	size_t n;

	(void)unused;
	map(1, 0x200000, 100, FLT_AREA_FILE, 5, 0, "/lib");
	fault(1, 0x200000, FLT_KIND_FILE, 0);
	map(1, 0x210000, 20, FLT_AREA_ANON, 0, 0, "");
	map(1, 0x200000, 16, FLT_AREA_FILE, 5, 0, "/lib");
	map(1, 0x224000, 16, FLT_AREA_FILE, 5, 0x24, "/lib");
	fault(1, 0x201000, FLT_KIND_FILE, 0);
	fault(1, 0x224000, FLT_KIND_FILE, 0);
	fault(1, 0x210000, FLT_KIND_ANON, 0);
	assert_int_equal(flt_region_faults(find(1, "/lib", &n)), 3);
	assert_int_equal(n, 1);
	assert_int_equal(flt_region_faults(find(1, "[anon]", &n)), 1);
	/* The same file mapped elsewhere is a separate region. */
	map(1, 0x800000, 16, FLT_AREA_FILE, 5, 0, "/lib");
	fault(1, 0x800000, FLT_KIND_FILE, 0);
	find(1, "/lib", &n);
	assert_int_equal(n, 2);
}

static void child_inherits_regions(void **unused)
{
	const struct flt_region *r;
	size_t n;

	(void)unused;
	flt_regions_image(g, 1, 0, 100, "parent-with-a-long-name");
	map(1, 0x10000, 16, FLT_AREA_HEAP, 0, 0, "");
	fault(1, 0x10000, FLT_KIND_ANON, 0);
	flt_regions_image(g, 2, 1, 101, "child");
	fault(2, 0x10000, FLT_KIND_COW, 0);
	fault(2, 0x11000, FLT_KIND_COW, 0);
	map(2, 0x10000, 32, FLT_AREA_HEAP, 0, 0, "");
	fault(2, 0x20000, FLT_KIND_ANON, 0);
	fault(1, 0x10000, FLT_KIND_COW, 0);
	r = find(2, "[heap]", &n);
	assert_int_equal(n, 1);
	assert_int_equal(flt_region_faults(r), 3);
	assert_int_equal(flt_region_faults(find(1, "[heap]", &n)), 2);
	assert_string_equal(flt_regions_comm(g, 1), "parent-with-a-l");
	assert_int_equal(flt_regions_pid(g, 2), 101);
}

static void refaults_are_counted(void **unused)
{
	const struct flt_region *r;
	size_t n;

	(void)unused;
	map(1, 0x10000, 16, FLT_AREA_ANON, 0, 0, "");
	fault(1, 0x10000, FLT_KIND_ANON, 0);	/* a read maps the zero page */
	fault(1, 0x10000, FLT_KIND_COW, 0);	/* a write copies it: not a refault */
	fault(1, 0x10000, FLT_KIND_NUMA, 0);
	fault(1, 0x10000, FLT_KIND_SPURIOUS, 0);
	r = find(1, "[anon]", &n);
	assert_int_equal(r->refaults, 0);
	fault(1, 0x10000, FLT_KIND_SWAP, 0);
	fault(1, 0x11000, FLT_KIND_SWAP, 0);	/* first fault seen, but the page was in swap */
	fault(1, 0x10000, FLT_KIND_ANON, 0);	/* after MADV_DONTNEED */
	assert_int_equal(r->refaults, 3);
	/* Flags FLT_FAULT_ALLOC and FLT_FAULT_REFAULT take precedence. */
	fault(1, 0x10000, FLT_KIND_ANON, FLT_FAULT_ALLOC);
	fault(1, 0x12000, FLT_KIND_ANON, FLT_FAULT_REFAULT);
	fault(1, 0x12000, FLT_KIND_ANON, FLT_FAULT_FAILED);
	assert_int_equal(r->refaults, 4);
	assert_int_equal(r->failed, 1);
	assert_int_equal(r->distinct, 3);
}

/* An area is reported once. A fault in it tells if an older area was mapped there again. */
static void confirm_restores_remapped_area(void **unused)
{
	size_t n;

	(void)unused;
	map(1, 0x100000, 16, FLT_AREA_ANON, 0, 0, "");
	fault(1, 0x100000, FLT_KIND_ANON, 0);
	map(1, 0x100000, 16, FLT_AREA_FILE, 5, 0, "/f");
	assert_int_equal(flt_regions_confirm(g, 1, 0x101000, 0, 5), 0);
	fault(1, 0x101000, FLT_KIND_FILE, 0);
	assert_int_equal(flt_regions_confirm(g, 1, 0x102000, 0, 0), 0);
	fault(1, 0x102000, FLT_KIND_ANON, 0);
	assert_int_equal(flt_regions_confirm(g, 1, 0x103000, 0, 77), 0);
	fault(1, 0x103000, FLT_KIND_ANON, 0);
	assert_int_equal(flt_region_faults(find(1, "[anon]", &n)), 3);
	assert_int_equal(flt_region_faults(find(1, "/f", &n)), 1);
	assert_int_equal(flt_regions_confirm(g, 2, 0x103000, 0, 77), 0);
}

static void surplus_regions_are_merged(void **unused)
{
	uint64_t sum = 0;
	uint32_t i;

	(void)unused;
	for (i = 0; i < FLT_REGIONS_MAX + 1000; i++) {
		map(1, (i + 1) * 0x10000ull, 2, FLT_AREA_ANON, 0, 0, "");
		fault(1, (i + 1) * 0x10000ull, FLT_KIND_ANON, 0);
	}
	assert_int_equal(g->count, FLT_REGIONS_MAX);
	for (i = 0; i < g->count; i++)
		sum += flt_region_faults(&g->rows[i]);
	assert_int_equal(sum, FLT_REGIONS_MAX + 1000);
	assert_int_equal(flt_region_faults(&g->rows[0]), 1001);
}

static void area_names_are_classified(void **unused)
{
	static const struct {
		const char *name, *rest;
		enum flt_area of;
	} cases[] = {
		{ "[heap]", "", FLT_AREA_HEAP }, { "[stack]", "", FLT_AREA_STACK }, { "[vdso]", "", FLT_AREA_VDSO },
		{ "[vvar]", "", FLT_AREA_VDSO }, { "", "", FLT_AREA_ANON }, { "[anon]", "", FLT_AREA_ANON },
		{ "[anon:x y]", "x y", FLT_AREA_ANON }, { "/lib/a", "/lib/a", FLT_AREA_FILE },
		{ "/memfd:m (deleted)", "/memfd:m (deleted)", FLT_AREA_SHMEM },
		{ "[anon_shmem:s]", "s", FLT_AREA_SHMEM }, { "/dev/shm/s", "/dev/shm/s", FLT_AREA_SHMEM },
		{ "/dev/nvidia0", "/dev/nvidia0", FLT_AREA_DEVICE },
	};
	const char *rest;
	size_t i, length;

	(void)unused;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(flt_area_of_name(cases[i].name, &rest, &length), cases[i].of);
		assert_int_equal(length, strlen(cases[i].rest));
		assert_memory_equal(rest, cases[i].rest, length);
	}
}

static void heat_map_is_folded(void **unused)
{
	struct flt_heat f = { 0 };
	uint64_t all = 0, again = 0, i;
	uint32_t b, k;

	(void)unused;
	/* Two regions are far apart. The time and one region outgrow the initial grid. */
	for (i = 0; i < 100000; i++) {
		assert_int_equal(flt_heat_add(&f, 0, 1000 + i * 3, i * 1000000, 2, i % 4 == 0), 0);
		assert_int_equal(flt_heat_add(&f, 70, (1ull << 40) - i % 100, i * 1000000, 1, false), 0);
	}
	assert_int_equal(f.band_count, 71);
	assert_true(flt_heat_columns(&f) <= FLT_HEAT_COLUMNS && flt_heat_columns(&f) > FLT_HEAT_COLUMNS / 2);
	for (b = 0; b < f.band_count; b++) {
		assert_true(flt_heat_rows(&f.bands[b]) <= FLT_HEAT_ROWS);
		for (k = 0; k < f.bands[b].count; k++) {
			all += f.bands[b].cells[k].all;
			again += f.bands[b].cells[k].again;
		}
	}
	assert_int_equal(all, 300000);
	assert_int_equal(again, 50000);
	assert_int_equal(f.bands[0].low, 1000);
	assert_int_equal(f.bands[0].high, 1000 + 99999 * 3);
	assert_int_equal(flt_heat_rows(&f.bands[70]), 51);	/* 100 pages, two per row */
	flt_heat_free(&f);
}

static enum flt_advice advice_of(const struct flt_region *r, const struct flt_verdict *v, uint64_t faults)
{
	const struct flt_advice_all all = { .faults = faults, .latency = 10 * faults, .page = page_size };

	return flt_advice_for(r, v, &all);
}

static void advice_follows_pattern(void **unused)
{
	const struct flt_region *r;
	struct flt_verdict v;
	size_t n;
	int i;

	(void)unused;
	map(1, 0x1000000, 2000, FLT_AREA_ANON, 0, 0, "");
	map(1, 0x8000000, 2000, FLT_AREA_FILE, 9, 0, "/f");
	for (i = 0; i < 1024; i++) {
		fault(1, 0x1000000 + i * P, FLT_KIND_ANON, 0);
		fault(1, 0x8000000 + (i * 619 % 1024) * P, FLT_KIND_FILE, FLT_FAULT_MAJOR);
	}
	r = find(1, "[anon]", &n);
	v = flt_pattern_classify(r->pattern);
	assert_int_equal(advice_of(r, &v, 2048), FLT_ADVICE_HUGE);
	assert_int_equal(advice_of(r, &v, 1u << 20), FLT_ADVICE_NONE);
	r = find(1, "/f", &n);
	v = flt_pattern_classify(r->pattern);
	v.order = FLT_ORDER_RANDOM;
	assert_int_equal(advice_of(r, &v, 2048), FLT_ADVICE_RANDOM);
	for (i = 0; i < 1024; i++)
		fault(1, 0x1000000 + i * P, FLT_KIND_SWAP, FLT_FAULT_MAJOR);
	r = find(1, "[anon]", &n);
	v = flt_pattern_classify(r->pattern);
	assert_string_equal(v.name, "thrashing");
	assert_int_equal(advice_of(r, &v, 3072), FLT_ADVICE_SWAP);
	for (i = FLT_ADVICE_NONE + 1; i < __FLT_ADVICE_LAST; i++)
		assert_true(flt_advice_name(i) && strlen(flt_advice_text(i)) > 40);
}

static void note(struct flt_timeline *t, union flt_stream_note n, const char *bytes)
{
	assert_int_equal(flt_timeline_note(t, &n, bytes), 0);
}

static void note_area(struct flt_timeline *t, uint32_t tgid, uint64_t start, unsigned int of,
		      uint64_t inode)
{
	note(t, (union flt_stream_note){ .area = {
		.type = FLT_EVENT_AREA, .tgid = tgid, .tid = tgid, .start = start,
		.end = start + 16 * P, .of = (uint8_t)of, .protection = 3, .inode = inode,
		.dev = inode ? 0x801 : 0,
	} }, "");
}

static void note_life(struct flt_timeline *t, unsigned int what, uint32_t tgid, uint32_t parent,
		      const char *name)
{
	char comm[16] = "";

	strncpy(comm, name, sizeof(comm) - 1);
	note(t, (union flt_stream_note){ .life = {
		.type = FLT_EVENT_LIFE, .what = (uint8_t)what, .tgid = tgid, .tid = tgid,
		.parent_tgid = parent, .parent_tid = parent,
	} }, comm);
}

static void note_path(struct flt_timeline *t, uint64_t inode, const char *name)
{
	note(t, (union flt_stream_note){ .path = {
		.type = FLT_EVENT_PATH, .inode = inode, .dev = 0x801,
		.length = (uint32_t)strlen(name),
	} }, name);
}

static void stream_fault(struct flt_timeline *t, uint32_t tgid, uint64_t address, uint64_t inode,
			 unsigned int flags)
{
	struct flt_fault f = {
		.time = now += 1000, .pid = tgid, .tid = tgid, .address = address, .weight = 1,
		.pages = 1, .flags = FLT_FAULT_OP | flags, .inode = inode,
		.device = inode ? 8 << 20 | 1 : 0,
	};
	struct flt_timeline_stack none;

	assert_int_equal(flt_timeline_fault(t, &f, &none), 0);
	assert_int_equal(flt_regions_fault(g, &f), 0);
}

/* A PID above the limit of the kernel, so /proc does not have it. */
#define NOBODY 0x7ffffff0u

/* Notes of a stream make regions. The kind of a mapping is the one of the note, not of the name. */
static void timeline_feeds_regions(void **unused)
{
	const struct flt_timeline_setup setup = { .regions = g };
	struct flt_timeline *t;
	size_t n;

	(void)unused;
	assert_int_equal(flt_timeline_new(&t, &setup), 0);
	note_area(t, NOBODY, 0x100000, FLT_AREA_SHMEM, 5);
	note_area(t, NOBODY, 0x200000, FLT_AREA_HEAP, 0);
	stream_fault(t, NOBODY, 0x100000, 5, 0);
	note_life(t, FLT_LIFE_FORK, NOBODY + 1, NOBODY, "child");
	stream_fault(t, NOBODY + 1, 0x200000, 0, 0);
	/* In an exec the kernel faults before the note. The name of the file comes last. */
	note_area(t, NOBODY + 1, 0x300000, FLT_AREA_FILE, 6);
	stream_fault(t, NOBODY + 1, 0x300000, 6, FLT_FAULT_KERNEL);
	note_life(t, FLT_LIFE_EXEC, NOBODY + 1, 0, "program");
	stream_fault(t, NOBODY + 1, 0x301000, 6, 0);
	/* The module does not repeat the note of a mapping that the new program has, too. */
	stream_fault(t, NOBODY + 1, 0x201000, 0, 0);
	stream_fault(t, NOBODY + 1, 0x900000, 0, 0);
	note_path(t, 5, "/tmp/five");
	note_path(t, 6, "/six");
	assert_int_equal(find(1, "/tmp/five", &n)->area.of, FLT_AREA_SHMEM);
	assert_int_equal(flt_regions_pid(g, 1), NOBODY);
	assert_int_equal(flt_region_faults(find(2, "[heap]", &n)), 1);
	assert_int_equal(flt_region_faults(find(2, "/six", &n)), 1);
	assert_string_equal(flt_regions_comm(g, 2), "child");
	assert_int_equal(flt_region_faults(find(3, "/six", &n)), 1);
	assert_int_equal(flt_region_faults(find(3, "[heap]", &n)), 1);
	assert_int_equal(flt_region_faults(find(3, "[unknown]", &n)), 1);
	assert_string_equal(flt_regions_comm(g, 3), "program");
	assert_int_equal(flt_regions_pid(g, 3), NOBODY + 1);
	flt_timeline_free(t);
}

/* The fault of a running process without a note finds its mapping in /proc, if reads are left. */
static void lost_note_is_replaced_by_proc(void **unused)
{
	const uint64_t here = (uint64_t)(uintptr_t)&lost_note_is_replaced_by_proc;
	struct flt_fault f = { .address = here, .image = 1, .pid = (uint32_t)getpid() };
	struct flt_timeline_lookup lookup = { .regions = g };
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t n;

	(void)unused;
	assert_true(length > 0);
	self[length] = '\0';
	assert_int_equal(flt_timeline_lookup(&lookup, &f), 0);
	assert_int_equal(flt_regions_token(g, 1, here), ~0u);
	flt_timeline_lookup_round(&lookup);
	f.flags = FLT_FAULT_REMOTE;
	assert_int_equal(flt_timeline_lookup(&lookup, &f), 0);
	assert_int_equal(flt_regions_token(g, 1, here), ~0u);
	f.flags = 0;
	assert_int_equal(flt_timeline_lookup(&lookup, &f), 0);
	assert_int_equal(flt_regions_token(g, 1, here), 0);
	fault(1, here, FLT_KIND_FILE, 0);
	assert_non_null(find(1, self, &n));
	/* A process that has no such mapping is not read again in this round. */
	f.address = 0;
	n = lookup.snapshots;
	assert_int_equal(flt_timeline_lookup(&lookup, &f), 0);
	assert_int_equal(flt_timeline_lookup(&lookup, &f), 0);
	assert_int_equal(lookup.snapshots, n - 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mapping_that_grows_stays_one_region),
		TEST(fault_belongs_to_mapping_at_its_time),
		TEST(library_segments_are_one_region),
		TEST(child_inherits_regions),
		TEST(refaults_are_counted),
		TEST(confirm_restores_remapped_area),
		TEST(surplus_regions_are_merged),
		TEST(area_names_are_classified),
		TEST(timeline_feeds_regions),
		TEST(lost_note_is_replaced_by_proc),
		TEST(heat_map_is_folded),
		TEST(advice_follows_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
