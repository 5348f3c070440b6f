// SPDX-License-Identifier: GPL-2.0-or-later
/* Compare models with simple and slow implementations. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/recording/group.h"
#include "model/recording/mapset.h"
#include "model/code/jitdump.h"
#include "model/code/perfmap.h"
#include "model/code/sites.h"
#include "model/recording/filter.h"
#include "model/recording/strings.h"
#include "model/code/symbols.h"
#include "model/code/tree.h"
#include "index/page_set.h"
#include "source/file/stacks.h"

#define SPACE 512

static void new_mapping_replaces_or_splits_old_one(void **state)
{
	uint64_t budget = SPACE;
	struct flt_map_set *set = flt_map_set_new(&budget), *copy = NULL;
	uint32_t naive[SPACE], then[SPACE], start, end, map, i;
	int round;

	(void)state;
	srandom(7);
	memset(naive, 0xff, sizeof(naive));
	for (round = 0; round < 20000; round++) {
		start = (uint32_t)random() % (SPACE - 1);
		end = start + 1 + (uint32_t)random() % (SPACE - start);
		map = random() % 4 ? (uint32_t)round : ~0u;
		assert_int_equal(flt_map_set_change(&set, start, end, map), 0);
		for (i = start; i < end; i++)
			naive[i] = map;
		for (i = 0; i < SPACE; i++)
			assert_int_equal(flt_map_set_find(set, i), naive[i]);
		if (round == 5000) {	/* a fork copies the set; later changes must not affect the copy */
			copy = flt_map_set_get(set);
			memcpy(then, naive, sizeof(then));
		}
	}
	assert_non_null(copy);
	for (i = 0; copy && i < SPACE; i++)
		assert_int_equal(flt_map_set_find(copy, i), then[i]);
	flt_map_set_put(copy);
	flt_map_set_put(set);
}

/* Each fork of a malicious file could copy a large address space. */
static void copies_of_all_sets_have_one_limit(void **state)
{
	uint64_t budget = 1000, left = budget;
	struct flt_map_set *first = flt_map_set_new(&budget), *copy[20];
	uint32_t i, n = 0;

	(void)state;
	for (i = 0; i < 100; i++)
		assert_int_equal(flt_map_set_change(&first, 2 * i, 2 * i + 1, i), 0);
	assert_int_equal(budget, left);
	for (i = 0; i < 20; i++) {
		copy[i] = flt_map_set_get(first);
		n += !flt_map_set_change(&copy[i], 0, 1, ~0u);
		assert_int_equal(flt_map_set_find(copy[i], 0), n > i ? ~0u : 0);
		assert_int_equal(flt_map_set_find(first, 0), 0);
	}
	assert_int_equal(n, 10);
	for (i = 0; i < 20; i++)
		flt_map_set_put(copy[i]);
	assert_int_equal(budget, left);
	flt_map_set_put(first);
}

static void first_touch_differs_from_refault(void **state)
{
	struct flt_page_set set = { 0 };
	unsigned char naive[SPACE] = { 0 };
	uint32_t budget = SPACE;
	uint64_t page, last, i;
	int round;

	(void)state;
	srandom(8);
	for (round = 0; round < 50000; round++) {
		page = (uint64_t)random() % SPACE;
		if (random() % 20) {
			assert_int_equal(flt_page_set_add(&set, page, 1, &budget), !naive[page]);
			naive[page] = 1;
		} else {
			last = page + (uint64_t)random() % (random() % 2 ? 4 : 100000);
			flt_page_set_clear(&set, page, last);
			for (i = page; i < last && i < SPACE; i++)
				naive[i] = 0;
		}
	}
	flt_page_set_free(&set, &budget);
}

static void stacks_are_interned_once(void **state)
{
	struct flt_trie trie = { 0 };
	uint32_t id, again, parent = 0;
	bool fresh;
	int i;

	(void)state;
	for (i = 1; i <= 5000; i++) {
		assert_int_equal(flt_trie_intern(&trie, (uint64_t)i * 16, parent, &id, &fresh), 0);
		assert_true(fresh);
		assert_int_equal(id, i);
		parent = id % 50 ? id : 0;
	}
	assert_int_equal(flt_trie_intern(&trie, 16, 0, &again, &fresh), 0);
	assert_false(fresh);
	assert_int_equal(again, 1);
	assert_true(flt_trie_covers(&trie, 160, 161));
	assert_false(flt_trie_covers(&trie, 161, 176));
	flt_trie_forget(&trie);
	assert_int_equal(flt_trie_intern(&trie, 16, 0, &again, &fresh), 0);
	assert_true(fresh);
	assert_int_equal(again, 5001);	/* distinct code has distinct ids */
	flt_trie_forget(&trie);
}

static void groups_add_up_to_all_faults(void **state)
{
	struct flt_fault f = { .weight = 3, .flags = FLT_FAULT_OP | FLT_FAULT_WRITE | FLT_FAULT_REFAULT };
	struct flt_group g = { 0 };
	struct flt_group_key key = { 0 };
	uint64_t sum = 0;
	uint32_t i;

	(void)state;
	for (i = 0; i < 300000; i++) {
		key.id = i % 5000;
		key.at = i % 3;
		assert_int_equal(flt_group_add(&g, &key, &f), 0);
	}
	assert_int_equal(g.count, 15000);
	for (i = 0; i < g.count; i++) {
		sum += flt_counts_all(&g.entries[i].counts);
		assert_int_equal(flt_counts_all(&g.entries[i].counts), g.entries[i].counts.by[FLT_OP_WRITE][FLT_TOUCH_AGAIN]);
	}
	assert_int_equal(sum, 900000);
	flt_group_free(&g);
}

/* Frames of an image without mappings are named by their addresses. */
static void deep_stacks_become_a_tree(void **state)
{
	struct flt_symbols_setup setup = { .no_symbols = true };
	struct { struct flt_record_image r; char comm[8]; } image = {
		.r = { .head = { .type = FLT_RECORD_IMAGE, .size = sizeof(image), .image = 1 }, .pid = 9, .cause = FLT_IMAGE_FOUND }, .comm = "deep" };
	struct flt_fault f = { .ip = 0x5000, .image = 1, .weight = 1 };
	struct flt_recording *rec;
	struct flt_strings *strings = flt_strings_new(1 << 20);
	struct flt_symbols *symbols;
	struct flt_tree_setup shape = { .processes = true };
	struct flt_tree tree;
	struct flt_group group = { 0 };
	struct flt_group_key key = { .image = 1 };
	struct flt_file_node node = { .image = 1 };
	uint32_t place, i;

	(void)state;
	assert_int_equal(flt_recording_new(&rec), 0);
	assert_int_equal(flt_recording_record(rec, &image.r.head), 0);
	for (i = 1; i <= 1000; i++) {	/* 1,000 recursive calls */
		node.id = i;
		node.parent = i - 1;
		node.address = 0x6000;
		assert_int_equal(flt_recording_nodes(rec, &node, 1), 0);
	}
	assert_int_equal(flt_recording_place(rec, 1, f.ip, &place), 0);
	key.id = 1000;
	key.at = place;
	assert_int_equal(flt_group_add(&group, &key, &f), 0);
	key.id = 1001;	/* a missing node: the stack consists of the faulting instruction only */
	assert_int_equal(flt_group_add(&group, &key, &f), 0);
	assert_int_equal(flt_symbols_new(&symbols, rec, &setup), 0);
	assert_int_equal(flt_tree_build(&tree, &shape, rec, symbols, strings, &group), 0);
	assert_int_equal(flt_tree_sort(&tree, true), 0);
	assert_int_equal(flt_tree_depth(&tree), 1002);
	assert_int_equal(flt_counts_all(&tree.nodes[0].total), 2);
	assert_string_equal(tree.nodes[tree.nodes[0].child].name, "deep (9)");
	flt_tree_free(&tree);
	flt_symbols_free(symbols);
	flt_group_free(&group);
	flt_strings_free(strings);
	flt_recording_free(rec);
}

static void map_file(struct flt_recording *rec, uint64_t start, const char *path)
{
	struct { struct flt_record_map r; char path[32]; } map = {
		.r = { .head = { .type = FLT_RECORD_MAP, .size = sizeof(map), .image = 1 },
		       .start = start, .end = start + 0x1000, .flags = FLT_MAP_EXEC } };

	snprintf(map.path, sizeof(map.path), "%s", path);
	assert_int_equal(flt_recording_record(rec, &map.r.head), 0);
}

/* Set offset[] to the offsets of a stack in its objects, and return its depth. */
static size_t stack_offsets(const struct flt_recording *rec, uint32_t stack, uint64_t *offset)
{
	uint32_t places[8];
	size_t n = flt_recording_stack(rec, 1, stack, places, NULL, 8), i;

	for (i = 0; i < n; i++)
		offset[i] = rec->places[places[i]].offset;
	return n;
}

/* 0x10000: the program, 0x20000: the recorder, 0x30000: libc. */
static void functions_of_the_recorder_are_one(void **state)
{
	/* main, malloc, an inner function, memset of libc, the first function of the recorder */
	static const struct flt_file_node nodes[] = {
		{ .image = 1, .id = 1, .parent = 0, .address = 0x10011 },
		{ .image = 1, .id = 2, .parent = 1, .address = 0x20021 },
		{ .image = 1, .id = 3, .parent = 2, .address = 0x20031 },
		{ .image = 1, .id = 4, .parent = 3, .address = 0x30041 },
		{ .image = 1, .id = 5, .parent = 0, .address = 0x20051 },
	};
	struct flt_fault inner = { .image = 1, .ip = 0x20060, .stack = 3 };
	struct flt_fault only = { .image = 1, .ip = 0x20060 };
	struct flt_fault outside = { .image = 1, .ip = 0x30060, .stack = 4 };
	struct flt_recording *rec;
	uint64_t offset[8];

	(void)state;
	assert_int_equal(flt_recording_new(&rec), 0);
	map_file(rec, 0x10000, "/bin/program");
	map_file(rec, 0x20000, "/usr/lib/libfltrec.so");
	map_file(rec, 0x30000, "/lib/libc.so.6");
	assert_int_equal(flt_recording_nodes(rec, nodes, 5), 0);

	flt_recording_leave_own(rec, &inner);
	assert_int_equal(inner.stack, 3);
	assert_int_equal(stack_offsets(rec, 4, offset), 4);

	rec->hides_own = true;
	flt_recording_leave_own(rec, &inner);
	assert_int_equal(inner.ip, 0x20020);
	assert_int_equal(inner.stack, 1);
	flt_recording_leave_own(rec, &only);	/* nobody called the recorder */
	assert_int_equal(only.ip, 0x20060);
	flt_recording_leave_own(rec, &outside);
	assert_int_equal(outside.ip, 0x30060);
	assert_int_equal(outside.stack, 4);
	assert_int_equal(stack_offsets(rec, 4, offset), 3);
	assert_int_equal(offset[0], 0x40);
	assert_int_equal(offset[1], 0x20);
	assert_int_equal(offset[2], 0x10);
	assert_int_equal(stack_offsets(rec, 5, offset), 1);
	flt_recording_free(rec);
}

static void processes_inherit_cgroups(void **state)
{
	struct { struct flt_record_image r; char comm[8]; } image = {
		.r = { .head = { .type = FLT_RECORD_IMAGE, .size = sizeof(image), .image = 1 }, .pid = 9, .cause = FLT_IMAGE_FOUND }, .comm = "sh" };
	struct { struct flt_record r; char path[8]; } cgroup = {
		.r = { .type = FLT_RECORD_CGROUP, .size = sizeof(cgroup), .image = 1 }, .path = "/a" };
	struct flt_fault f = { .weight = 1 };
	struct flt_group group = { 0 };
	struct flt_group_key key;
	struct flt_recording *rec;
	struct flt_sites sites;

	(void)state;
	assert_int_equal(flt_recording_new(&rec), 0);
	assert_int_equal(flt_recording_record(rec, &image.r.head), 0);
	assert_null(flt_recording_image(rec, 1)->cgroup);
	assert_int_equal(flt_recording_record(rec, &cgroup.r), 0);
	image.r.parent = 1;
	image.r.cause = FLT_IMAGE_FORK;
	for (image.r.head.image = 2; image.r.head.image < 4; image.r.head.image++) {
		image.r.pid++;
		assert_int_equal(flt_recording_record(rec, &image.r.head), 0);
	}
	cgroup.r.image = 3;
	cgroup.path[1] = 'b';
	assert_int_equal(flt_recording_record(rec, &cgroup.r), 0);
	for (f.image = 1; f.image < 4; f.image++) {
		assert_int_equal(flt_sites_key(FLT_BY_CGROUP, rec, &f, &key), 0);
		assert_int_equal(flt_group_add(&group, &key, &f), 0);
	}
	assert_int_equal(flt_sites_build(&sites, FLT_BY_CGROUP, rec, NULL, &group), 0);
	assert_int_equal(sites.count, 2);
	assert_string_equal(sites.rows[0].cgroup, "/a");
	assert_int_equal(flt_counts_all(&sites.rows[0].counts), 2);
	assert_true(sites.rows[0].several);
	assert_string_equal(sites.rows[1].cgroup, "/b");
	flt_sites_free(&sites);
	flt_group_free(&group);
	flt_recording_free(rec);
}

static void perf_maps_are_read(void **state)
{
	struct flt_perf_map *map;
	uint64_t offset;
	FILE *file;

	(void)state;
	file = fopen("/tmp/perf-4000000001.map", "w");
	assert_non_null(file);
	fputs("1000 100 one\nnonsense\n2000 10 two words\n1000 100 one again\nffffffffffffffff 10 wraps\n", file);
	fclose(file);
	map = flt_perf_map_load("/tmp", 4000000001u);
	assert_non_null(map);
	assert_string_equal(flt_perf_map_find(map, 0x1010, &offset), "one again");
	assert_int_equal(offset, 0x10);
	assert_string_equal(flt_perf_map_find(map, 0x200f, &offset), "two words");
	assert_null(flt_perf_map_find(map, 0x2010, &offset));
	assert_null(flt_perf_map_find(map, 0xfff, &offset));
	flt_perf_map_free(map);
	remove("/tmp/perf-4000000001.map");
}

/* Append a record of a jitdump. */
static void dump_record(FILE *out, uint32_t type, const void *body, size_t size, const char *name,
			size_t code)
{
	static const char zeros[64];
	uint32_t head[4] = { type, (uint32_t)(sizeof(head) + size + (name ? strlen(name) + 1 : 0) + code) };

	fwrite(head, sizeof(head), 1, out);
	fwrite(body, size, 1, out);
	if (name)
		fwrite(name, strlen(name) + 1, 1, out);
	fwrite(zeros, code, 1, out);
}

static void dump_function(FILE *out, uint64_t address, uint64_t index, const char *name)
{
	uint64_t load[5] = { 0, address, address, 16, index };

	dump_record(out, 0, load, sizeof(load), name, 16);
}

static void dump_line(FILE *out, uint64_t function, uint64_t address, uint32_t line, const char *file)
{
	struct { uint64_t function, count, address; uint32_t line, unused; } one = { function, 1, address, line, 0 };

	dump_record(out, 2, &one, sizeof(one), file, 0);
}

static FILE *dump_new(const char *path, uint32_t pid)
{
	uint32_t head[10] = { 0x4a695444, 1, sizeof(head), 62, 0, pid };
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fwrite(head, sizeof(head), 1, out);
	return out;
}

static void jitdumps_are_read(void **state)
{
	const char *path = "/tmp/jit-4000000001.dump";
	uint64_t move[6] = { 0, 0x1000, 0x1000, 0x3000, 16, 1 };
	struct flt_jitdump_code code;
	struct flt_jitdump *dump;
	FILE *out = dump_new(path, 4000000001u);
	long whole;

	(void)state;
	dump_line(out, 0x1000, 0x1004, 5, "a.js");
	dump_function(out, 0x1000, 1, "one");
	dump_function(out, 0x2000, 2, "old");
	dump_line(out, 0x2000, 0x2000, 6, "`\xf8\2");	/* as V8 does now and then */
	dump_function(out, 0x2000, 3, "new");
	dump_record(out, 1, move, sizeof(move), NULL, 0);
	dump_record(out, 77, move, 8, NULL, 0);		/* a type that is not known */
	dump_record(out, 0, move, 8, NULL, 0);		/* too short */
	whole = ftell(out);
	dump_function(out, 0x5000, 4, "cut off");
	fclose(out);
	assert_int_equal(truncate(path, whole + 70), 0);

	assert_true(flt_jitdump_is_path(path, 4000000001u));
	assert_false(flt_jitdump_is_path(path, 4000000u));
	assert_null(flt_jitdump_load(path, 1));
	dump = flt_jitdump_load(path, 4000000001u);
	assert_non_null(dump);
	assert_true(flt_jitdump_find(dump, 0x1003, &code));
	assert_string_equal(code.function, "one");
	assert_int_equal(code.offset, 3);
	assert_null(code.file);
	assert_true(flt_jitdump_find(dump, 0x1004, &code));
	assert_string_equal(code.file, "a.js");
	assert_int_equal(code.line, 5);
	assert_true(flt_jitdump_find(dump, 0x2000, &code));
	assert_string_equal(code.function, "new");
	assert_null(code.file);
	assert_true(flt_jitdump_find(dump, 0x300f, &code));
	assert_string_equal(code.function, "one");
	assert_int_equal(code.line, 5);
	assert_false(flt_jitdump_find(dump, 0x3010, &code));
	assert_false(flt_jitdump_find(dump, 0x5000, &code));
	flt_jitdump_free(dump);
	remove(path);
}

/* See ELF_HEADER in jitdump.c. */
static void lines_of_v8_are_shifted(void **state)
{
	const char *path = "/tmp/jit-4000000002.dump";
	struct flt_jitdump_code code;
	struct flt_jitdump *dump;
	FILE *out = dump_new(path, 4000000002u);

	(void)state;
	dump_line(out, 0x1000, 0x1044, 5, "a.js");
	dump_function(out, 0x1000, 1, "one");
	fclose(out);
	dump = flt_jitdump_load(path, 4000000002u);
	assert_non_null(dump);
	assert_true(flt_jitdump_find(dump, 0x1003, &code));
	assert_null(code.file);
	assert_true(flt_jitdump_find(dump, 0x1004, &code));
	assert_int_equal(code.line, 5);
	flt_jitdump_free(dump);
	remove(path);
}

static void filters_select_faults(void **state)
{
	const char *bad;
	uint32_t bits;

	(void)state;
	assert_int_equal(flt_fault_filter_kinds("anon,swap", &bits, &bad), 0);
	assert_int_equal(bits, 1u << FLT_KIND_ANON | 1u << FLT_KIND_SWAP);
	assert_int_equal(flt_fault_filter_kinds("anon,swop", &bits, &bad), -EINVAL);
	assert_string_equal(bad, "swop");
	assert_int_equal(flt_fault_filter_ops("", &bits, &bad), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_mapping_replaces_or_splits_old_one),
		cmocka_unit_test(copies_of_all_sets_have_one_limit),
		cmocka_unit_test(first_touch_differs_from_refault),
		cmocka_unit_test(stacks_are_interned_once),
		cmocka_unit_test(groups_add_up_to_all_faults),
		cmocka_unit_test(deep_stacks_become_a_tree),
		cmocka_unit_test(functions_of_the_recorder_are_one),
		cmocka_unit_test(processes_inherit_cgroups),
		cmocka_unit_test(perf_maps_are_read),
		cmocka_unit_test(jitdumps_are_read),
		cmocka_unit_test(lines_of_v8_are_shifted),
		cmocka_unit_test(filters_select_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
