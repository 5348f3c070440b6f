// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/thp/thp.h"
#include "model/counts/hugepages.h"

enum column {
	COL_RECORD, COL_SPAN, COL_SECONDS, COL_PID, COL_COMM, COL_HUGE, COL_FALLBACK, COL_NO_PAGE,
	COL_NO_CHARGE, COL_UNFIT, COL_LATE, COL_ERROR, COL_ZERO, COL_COLLAPSED, COL_BY_CALL,
	COL_OF_FILE, COL_TRIED, COL_REFUSED, COL_SPLIT_MAPS, COL_SPLIT_PAGES, COL_SPLIT_FAILED,
	COL_HUGE_NS, COL_HUGE_P99, COL_SMALL_NS, COL_FALLBACK_NS, COL_MAPPED, COL_ELIGIBLE, COL_COVERED,
	COL_EVENT, COL_REASON, COL_VALUE, COL_COUNT, COLUMNS
};

static const struct flt_column columns[COLUMNS] = {
	[COL_RECORD] = { .key = "record" },
	[COL_SPAN] = { .key = "span" },
	[COL_SECONDS] = { .key = "seconds" },
	[COL_PID] = { .key = "pid", .title = "pid", .width = 7 },
	[COL_COMM] = { .key = "comm", .title = "comm", .width = -15 },
	[COL_HUGE] = { .key = "huge", .title = "huge", .width = 7 },
	[COL_FALLBACK] = { .key = "fallback", .title = "fell back", .width = 9 },
	[COL_NO_PAGE] = { .key = "fallback_no_page" },
	[COL_NO_CHARGE] = { .key = "fallback_cgroup" },
	[COL_UNFIT] = { .key = "unfit" },
	[COL_LATE] = { .key = "late" },
	[COL_ERROR] = { .key = "error" },
	[COL_ZERO] = { .key = "zero", .title = "zero", .width = 6 },
	[COL_COLLAPSED] = { .key = "collapsed", .title = "collapsed", .width = 9 },
	[COL_BY_CALL] = { .key = "collapsed_by_call" },
	[COL_OF_FILE] = { .key = "collapsed_of_file" },
	[COL_TRIED] = { .key = "collapse_tried" },
	[COL_REFUSED] = { .key = "refused", .title = "refused", .width = 7 },
	[COL_SPLIT_MAPS] = { .key = "split_mappings", .title = "split", .width = 6 },
	[COL_SPLIT_PAGES] = { .key = "split_pages", .title = "pages", .width = 6 },
	[COL_SPLIT_FAILED] = { .key = "split_failed" },
	[COL_HUGE_NS] = { .key = "huge_ns", .title = "huge took", .width = 9 },
	[COL_HUGE_P99] = { .key = "huge_p99_ns", .title = "p99", .width = 6 },
	[COL_SMALL_NS] = { .key = "small_ns", .title = "small", .width = 8 },
	[COL_FALLBACK_NS] = { .key = "fallback_ns" },
	[COL_MAPPED] = { .key = "huge_bytes", .title = "mapped", .width = 8 },
	[COL_ELIGIBLE] = { .key = "eligible_bytes", .title = "eligible", .width = 8 },
	[COL_COVERED] = { .key = "covered_percent", .title = "%", .width = 5 },
	[COL_EVENT] = { .key = "event" },
	[COL_REASON] = { .key = "reason" },
	[COL_VALUE] = { .key = "value" },
	[COL_COUNT] = { .key = "count" },
};

#define SUCCEEDED 1	/* the kernel's SCAN_SUCCEED */

struct report {
	struct thp *t;
	const struct ledger_span *span;
	struct flt_cell cell[COLUMNS];
};

int thp_report_open(struct thp *t, enum flt_format format)
{
	return flt_table_new_cells(&t->table, stdout, format, columns, COLUMNS);
}

static void begin_row(struct report *r, const char *record)
{
	memset(r->cell, 0, sizeof(r->cell));
	r->cell[COL_RECORD] = flt_cell_string(record);
	r->cell[COL_SPAN] = flt_cell_string(r->span->last ? "total" : "interval");
	r->cell[COL_SECONDS] = flt_cell_double((double)r->span->ns / 1e9, 3);
}

static uint64_t refused(const struct flt_ledger_line *line)
{
	return flt_ledger_sum(line->n.scan, FLT_SCAN_RESULTS) - line->n.scan[SUCCEEDED];
}

static struct flt_cell ns_or_none(uint64_t ns)
{
	return ns ? flt_cell_ns(ns) : flt_cell_absent();
}

static int put_line(void *arg, const struct flt_ledger_line *line, const char *record, const char *comm)
{
	struct report *r = arg;
	const struct flt_coverage *c = line->id ? thp_coverage(r->t, line->id) : NULL;
	const uint64_t *n = line->n.count;
	uint64_t fallbacks = n[FLT_THP_NO_PAGE] + n[FLT_THP_NO_CHARGE];
	struct flt_huge_judgement j;
	struct flt_cell *cell = r->cell;

	flt_hugepages_judge(line, &j);
	begin_row(r, record);
	if (line->id)
		cell[COL_PID] = flt_cell_u64(line->tgid);
	cell[COL_COMM] = flt_cell_string(comm ? comm : line->comm);
	cell[COL_HUGE] = flt_cell_u64(n[FLT_THP_FILLED]);
	cell[COL_FALLBACK] = flt_cell_u64(fallbacks);
	cell[COL_NO_PAGE] = flt_cell_u64(n[FLT_THP_NO_PAGE]);
	cell[COL_NO_CHARGE] = flt_cell_u64(n[FLT_THP_NO_CHARGE]);
	cell[COL_UNFIT] = flt_cell_u64(n[FLT_THP_UNFIT]);
	cell[COL_LATE] = flt_cell_u64(n[FLT_THP_LATE]);
	cell[COL_ERROR] = flt_cell_u64(n[FLT_THP_ERROR]);
	cell[COL_ZERO] = flt_cell_u64(n[FLT_THP_ZERO]);
	cell[COL_COLLAPSED] = flt_cell_u64(n[FLT_THP_COLLAPSED] + n[FLT_THP_COLLAPSED_CALL] +
					   n[FLT_THP_COLLAPSED_FILE]);
	cell[COL_BY_CALL] = flt_cell_u64(n[FLT_THP_COLLAPSED_CALL]);
	cell[COL_OF_FILE] = flt_cell_u64(n[FLT_THP_COLLAPSED_FILE]);
	cell[COL_TRIED] = flt_cell_u64(n[FLT_THP_COLLAPSE_TRIED]);
	cell[COL_REFUSED] = flt_cell_u64(refused(line));
	cell[COL_SPLIT_MAPS] = flt_cell_u64(flt_ledger_sum(line->n.split_map, __FLT_SPLIT_CAUSES));
	cell[COL_SPLIT_PAGES] = flt_cell_u64(flt_ledger_sum(line->n.split_page,
							    __FLT_SPLIT_CAUSES));
	cell[COL_SPLIT_FAILED] = flt_cell_u64(n[FLT_THP_SPLIT_FAILED]);
	cell[COL_HUGE_NS] = ns_or_none(j.huge_ns);
	cell[COL_HUGE_P99] = ns_or_none(j.huge_p99);
	cell[COL_SMALL_NS] = ns_or_none(j.small_ns);
	cell[COL_FALLBACK_NS] = ns_or_none(fallbacks ? n[FLT_THP_FALLBACK_NS] / fallbacks : 0);
	if (c) {
		cell[COL_MAPPED] = flt_cell_size(c->huge);
		cell[COL_ELIGIBLE] = flt_cell_size(c->eligible);
		if (c->eligible)
			cell[COL_COVERED] = flt_cell_double(100.0 * (double)c->covered /
							    (double)c->eligible, 1);
	}
	return flt_table_cells(r->t->table, cell);
}

/* A reason: a line of text, or a row of data. */
static int put_reason(struct report *r, const struct flt_ledger_line *line, const char *event,
		      const char *reason, uint64_t count)
{
	if (!count)
		return 0;
	if (r->t->run.args->format == FLT_FORMAT_TEXT) {
		if (line->id)
			printf("%7" PRIu32 "  %-22s %-30s %" PRIu64 "\n", line->tgid, event, reason,
			       count);
		else
			printf("%7s  %-22s %-30s %" PRIu64 "\n", "-", event, reason, count);
		return 0;
	}
	begin_row(r, "reason");
	if (line->id)
		r->cell[COL_PID] = flt_cell_u64(line->tgid);
	r->cell[COL_EVENT] = flt_cell_string(event);
	r->cell[COL_REASON] = flt_cell_string(reason);
	r->cell[COL_COUNT] = flt_cell_u64(count);
	return flt_table_cells(r->t->table, r->cell);
}

static int put_reasons(void *arg, const struct flt_ledger_line *line, const char *record, const char *comm)
{
	struct report *r = arg;
	char number[32];
	const char *name;
	uint32_t i;
	int ret;

	(void)record;
	(void)comm;
	ret = put_reason(r, line, "fell back", "no free huge page", line->n.count[FLT_THP_NO_PAGE]);
	if (!ret)
		ret = put_reason(r, line, "fell back", "cgroup limit",
				 line->n.count[FLT_THP_NO_CHARGE]);
	if (!ret)
		ret = put_reason(r, line, "no huge page", "region too small or not aligned",
				 line->n.count[FLT_THP_UNFIT]);
	for (i = 0; !ret && i < FLT_SCAN_RESULTS; i++) {
		snprintf(number, sizeof(number), "scan_result %" PRIu32, i);
		name = *r->t->scan[i] ? r->t->scan[i] : number;
		if (i != SUCCEEDED)
			ret = put_reason(r, line, "scan refused", name, line->n.scan[i]);
	}
	for (i = 0; !ret && i < __FLT_SPLIT_CAUSES; i++)
		ret = put_reason(r, line, "mapping split by", flt_split_cause_name(i),
				 line->n.split_map[i]);
	for (i = 0; !ret && i < __FLT_SPLIT_CAUSES; i++)
		ret = put_reason(r, line, "page split by", flt_split_cause_name(i),
				 line->n.split_page[i]);
	return ret;
}

static int put_fact(void *arg, const char *what, const char *name, const char *value)
{
	struct report *r = arg;

	if (r->t->run.args->format == FLT_FORMAT_TEXT) {
		printf("%s %s: %s\n", what, name, value);
		return 0;
	}
	begin_row(r, what);
	r->cell[COL_REASON] = flt_cell_string(name);
	r->cell[COL_VALUE] = flt_cell_string(value);
	return flt_table_cells(r->t->table, r->cell);
}

/* Of those that were asked for together: what all of them add up to. */
static int put_verdict(struct report *r, const struct flt_ledger_line *sum)
{
	static const char *const words[] = {
		[FLT_HUGE_IDLE] = "idle", [FLT_HUGE_PAYS] = "pays", [FLT_HUGE_COSTS] = "costs",
		[FLT_HUGE_SCARCE] = "scarce", [FLT_HUGE_BROKEN] = "broken",
	};
	struct flt_huge_judgement j;
	char text[512];

	flt_hugepages_judge(sum, &j);
	flt_hugepages_say(&j, text, sizeof(text));
	if (r->t->run.args->format == FLT_FORMAT_TEXT) {
		printf("verdict: %s\n", text);
		return 0;
	}
	return put_fact(r, "verdict", words[j.verdict], text);
}

int thp_report(void *arg, const struct ledger_span *span)
{
	struct report r = { .t = arg, .span = span };
	struct flt_ledger_line sum = { 0 };
	bool text = r.t->run.args->format == FLT_FORMAT_TEXT;
	int ret;

	if (text && span->last)
		printf("%sin all, %.1f s\n", r.t->reports ? "\n" : "", (double)span->ns / 1e9);
	ret = ledger_each(&r.t->run, span, put_line, &r, &sum);
	flt_table_flush(r.t->table, span->last || r.t->reports % 20 == 0);
	r.t->reports++;
	if (ret || !span->last)
		return ret;
	if (text)
		putchar('\n');
	ret = ledger_each(&r.t->run, span, put_reasons, &r, NULL);
	if (!ret)
		ret = thp_machine_since(&r.t->before, put_fact, &r);
	if (!ret)
		ret = thp_machine_settings(put_fact, &r);
	if (!ret)
		ret = put_verdict(&r, &sum);
	flt_table_flush(r.t->table, false);
	return ret;
}
