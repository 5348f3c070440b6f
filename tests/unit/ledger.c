// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "account/ledger.h"
#include "model/counts/balance.h"
#include "model/counts/hugepages.h"
#include "source/proc/coverage.h"

static void subtraction_gives_new_counts(void **state)
{
	struct flt_ledger_line before = { .id = 1 }, after = { .id = 1 }, got;

	(void)state;
	before.n.count[FLT_THP_FILLED] = 3;
	after.n.count[FLT_THP_FILLED] = 5;
	after.n.scan[7] = 2;
	after.n.faults = 100;
	got = flt_ledger_since(&after, &before);
	assert_int_equal(got.n.count[FLT_THP_FILLED], 2);
	assert_int_equal(got.n.scan[7], 2);
	assert_false(flt_ledger_idle(&got));
	got = flt_ledger_since(&after, NULL);
	assert_int_equal(got.n.count[FLT_THP_FILLED], 5);
	/* A counter that decreased was reset; its difference is 0. */
	got = flt_ledger_since(&before, &after);
	assert_int_equal(got.n.count[FLT_THP_FILLED], 0);
	/* A line with faults only counts as idle, because it has no huge page events. */
	memset(&after.n, 0, sizeof(after.n));
	after.n.faults = 1;
	after.n.fault_ns = 1;
	assert_true(flt_ledger_idle(&after));
	after.n.matrix[FLT_NUMA_NODES * FLT_NUMA_NODES - 1] = 1;
	assert_false(flt_ledger_idle(&after));
}

static void lines_are_found_by_id(void **state)
{
	struct flt_ledger l = { 0 };
	struct flt_ledger_line line = { 0 };

	(void)state;
	for (line.id = 1; line.id <= 9; line.id++)
		assert_int_equal(flt_ledger_add(&l, &line), 0);
	assert_int_equal(l.count, 9);
	assert_int_equal(flt_ledger_find(&l, 9)->id, 9);
	assert_null(flt_ledger_find(&l, 10));
	flt_ledger_free(&l);
}

static uint64_t page_size = 4096;

static enum flt_huge_verdict judged(const struct flt_ledger_line *line)
{
	struct flt_huge_judgement j;
	char text[512];

	flt_hugepages_judge(line, page_size, page_size / 8 * page_size, &j);
	flt_hugepages_say(&j, text, sizeof(text));
	assert_true(strlen(text) > 20 && strlen(text) < sizeof(text) - 1);
	return j.verdict;
}

static void huge_page_verdicts(void **state)
{
	struct flt_ledger_line line = { 0 };
	uint64_t *n = line.n.count;

	(void)state;
	assert_int_equal(judged(&line), FLT_HUGE_IDLE);
	/* 16 huge page faults of 100 us and 100 small page faults of 1 us. */
	n[FLT_THP_FILLED] = 16;
	n[FLT_THP_FILL_NS] = 1600000;
	line.n.faults = 116;
	line.n.fault_ns = 1700000;
	assert_int_equal(judged(&line), FLT_HUGE_PAYS);
	n[FLT_THP_FILL_NS] = 16 * 513000;
	line.n.fault_ns = 16 * 513000 + 100000;
	assert_int_equal(judged(&line), FLT_HUGE_COSTS);
	/* A huge page of 32 MiB replaces 2048 pages of 16 KiB. */
	page_size = 16384;
	assert_int_equal(judged(&line), FLT_HUGE_PAYS);
	page_size = 4096;
	line.n.split_page[FLT_SPLIT_RECLAIM] = 7;
	assert_int_equal(judged(&line), FLT_HUGE_COSTS);
	line.n.split_page[FLT_SPLIT_ADVISE] = 1;
	assert_int_equal(judged(&line), FLT_HUGE_BROKEN);
	n[FLT_THP_NO_PAGE] = 15;
	assert_int_equal(judged(&line), FLT_HUGE_BROKEN);
	n[FLT_THP_NO_CHARGE] = 1;
	assert_int_equal(judged(&line), FLT_HUGE_SCARCE);
}

static void unknown_counters_have_names(void **state)
{
	struct flt_ledger_line line = { 0 }, sum = { 0 };
	char text[FLT_LEDGER_TEXT];

	(void)state;
	flt_ledger_say_unknown(false, 0, text);
	assert_string_equal(text, "");
	flt_ledger_say_unknown(false, FLT_LEDGER_COUNTER(FLT_THP_LATE) |
			       FLT_LEDGER_COUNTER(FLT_THP_COLLAPSED) |
			       FLT_LEDGER_SECTION(FLT_LEDGER_SPLIT_MAPS), text);
	assert_string_equal(text, "late, collapsed, split_mappings");
	flt_ledger_say_unknown(true, FLT_LEDGER_COUNTER(FLT_NUMA_FAILED) |
			       FLT_LEDGER_SECTION(FLT_LEDGER_MOVED), text);
	assert_string_equal(text, "moves_failed, pages_moved");
	flt_ledger_say_unknown(false, UINT64_MAX, text);
	assert_true(strlen(text) < sizeof(text) - 1);
	flt_ledger_say_unknown(true, UINT64_MAX, text);
	assert_true(strlen(text) < sizeof(text) - 1);

	/* Sums and differences keep the bits. Without a counter there is no verdict. */
	line.unknown = FLT_LEDGER_COUNTER(FLT_THP_FILLED);
	line.n.count[FLT_THP_NO_PAGE] = 5;
	flt_ledger_sum_line(&sum, &line);
	assert_int_equal(flt_ledger_since(&sum, &line).unknown, line.unknown);
	assert_int_equal(judged(&sum), FLT_HUGE_UNKNOWN);
	sum.unknown = FLT_LEDGER_SECTION(FLT_LEDGER_SPLIT_MAPS);
	assert_int_equal(judged(&sum), FLT_HUGE_SCARCE);
}

static enum flt_balance_verdict balanced(const struct flt_ledger_line *line)
{
	struct flt_balance b;
	char text[512];

	flt_balance_judge(line, 5, &b);
	flt_balance_say(&b, text, sizeof(text));
	assert_true(strlen(text) > 20 && strlen(text) < sizeof(text) - 1);
	return b.verdict;
}

static void balancing_verdicts(void **state)
{
	struct flt_ledger_line line = { 0 };
	uint64_t *n = line.n.count;
	struct flt_balance b;

	(void)state;
	assert_int_equal(balanced(&line), FLT_BALANCE_IDLE);
	n[FLT_NUMA_HINTS] = 100;
	n[FLT_NUMA_LOCAL] = 90;
	assert_int_equal(balanced(&line), FLT_BALANCE_LOCAL);
	n[FLT_NUMA_LOCAL] = 0;
	assert_int_equal(balanced(&line), FLT_BALANCE_SHARED);
	n[FLT_NUMA_WANTED] = 50;
	n[FLT_NUMA_TRIED] = 50;
	assert_int_equal(balanced(&line), FLT_BALANCE_WORKS);
	n[FLT_NUMA_FAILED] = 25;
	assert_int_equal(balanced(&line), FLT_BALANCE_STUCK);
	/* Counters read during an update may be inconsistent. Differences must not go below 0. */
	n[FLT_NUMA_LOCAL] = 101;
	n[FLT_NUMA_FAILED] = 51;
	flt_balance_judge(&line, 5, &b);
	assert_int_equal(b.remote, 0);
	assert_int_equal(b.not_moved, 50);
	n[FLT_NUMA_LOCAL] = 0;
	n[FLT_NUMA_FAILED] = 25;
	/* 1,000 ns of moves plus 100 hints of 2 ns, the mean of the other faults. */
	n[FLT_NUMA_MOVE_NS] = 1000;
	line.n.faults = 500;
	line.n.fault_ns = 2000;
	line.n.moved[5] = 25;
	flt_balance_judge(&line, 5, &b);
	assert_int_equal(b.spent_ns, 1200);
	assert_int_equal(b.moved_pages, 25);
	assert_int_equal(b.not_moved, 25);
	line.unknown = FLT_LEDGER_COUNTER(FLT_NUMA_FAILED);
	assert_int_equal(balanced(&line), FLT_BALANCE_UNKNOWN);
}

static void smaps_coverage_is_parsed(void **state)
{
	char text[] = "7f0000100000-7f0000700000 rw-p 00000000 00:00 0 \n"
		      "Size:               6144 kB\n"
		      "Rss:                4100 kB\n"
		      "AnonHugePages:      4096 kB\n"
		      "THPeligible:           1\n"
		      "VmFlags: rd wr mr mw me ac hg\n"
		      "7f0000800000-7f0000900000 r--p 00000000 08:01 77   /a b-c file: x\n"
		      "Rss:                1024 kB\n"
		      "AnonHugePages:         0 kB\n"
		      "FilePmdMapped:      2048 kB\n"
		      "THPeligible:    0\n";
	struct flt_coverage c;

	(void)state;
	flt_coverage_parse(text, 2 << 20, &c);
	assert_int_equal(c.huge, 6 << 20);
	assert_int_equal(c.eligible, 4 << 20);
	assert_int_equal(c.resident, 4100 << 10);
	/* Huge pages of other mappings do not cover the eligible ones. */
	assert_int_equal(c.covered, 4 << 20);
}

static void numa_maps_are_parsed(void **state)
{
	char huge[] = "7f0000200000 default anon=2 dirty=2 N0=1 N1=1 kernelpagesize_kB=2048\n";
	char file[] = "55d0c0de0000 default file=/usr/bin/N1=3\\040x mapped=8 N1=8 kernelpagesize_kB=4\n";
	char stack[] = "7ffd00000000 default stack anon=3 dirty=3 N20=3 kernelpagesize_kB=4\n";
	char none[] = "7f0000400000 default\n", odd[] = "nonsense\n";
	char small16[] = "7f0000200000 default anon=3 N0=3 kernelpagesize_kB=16\n";
	char huge16[] = "7f0000200000 default anon=3 N0=3 kernelpagesize_kB=32768\n";
	struct flt_node_map map;

	(void)state;
	assert_true(flt_node_map_parse(huge, 4096, &map));
	assert_true(map.address == 0x7f0000200000);
	assert_int_equal(map.pages[0], 512);
	assert_int_equal(map.pages[1], 512);
	assert_string_equal(map.what, "anon");
	assert_true(flt_node_map_parse(file, 4096, &map));
	assert_int_equal(map.pages[1], 8);
	assert_string_equal(map.what, "/usr/bin/N1=3\\040x");
	assert_true(flt_node_map_parse(stack, 4096, &map));
	assert_int_equal(map.pages[FLT_COVERAGE_NODES - 1], 3);
	assert_false(flt_node_map_parse(none, 4096, &map));
	assert_false(flt_node_map_parse(odd, 4096, &map));
	/* With pages of 16 KiB. */
	assert_true(flt_node_map_parse(small16, 16384, &map));
	assert_int_equal(map.pages[0], 3);
	assert_true(flt_node_map_parse(huge16, 16384, &map));
	assert_int_equal(map.pages[0], 3 * 2048);
}

static void trace_names_are_parsed(void **state)
{
	static const char format[] =
		"print fmt: \"status=%s mode=%s\", __print_symbolic(REC->status, {0, \"failed\"}, "
		"{ 1, \"succeeded\"}, {3, \"pmd_none\"}, {99, \"far\"}), "
		"__print_symbolic(REC->mode, {0, \"async\"})";
	char out[5][12];

	(void)state;
	flt_trace_names_parse(format, "status", out[0], 5, sizeof(out[0]));
	assert_string_equal(out[0], "failed");
	assert_string_equal(out[1], "succeeded");
	assert_string_equal(out[2], "");
	assert_string_equal(out[3], "pmd_none");
	assert_string_equal(out[4], "");
	flt_trace_names_parse(format, "mode", out[0], 5, sizeof(out[0]));
	assert_string_equal(out[0], "async");
	assert_string_equal(out[1], "");
	flt_trace_names_parse("", "mode", out[0], 5, sizeof(out[0]));
	assert_string_equal(out[0], "");
	flt_trace_names_parse("__print_symbolic(REC->mode, {0, \"cut", "mode", out[0], 5,
			      sizeof(out[0]));
	assert_string_equal(out[0], "cut");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subtraction_gives_new_counts),
		cmocka_unit_test(lines_are_found_by_id),
		cmocka_unit_test(huge_page_verdicts),
		cmocka_unit_test(unknown_counters_have_names),
		cmocka_unit_test(balancing_verdicts),
		cmocka_unit_test(smaps_coverage_is_parsed),
		cmocka_unit_test(numa_maps_are_parsed),
		cmocka_unit_test(trace_names_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
