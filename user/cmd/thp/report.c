// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/thp/thp.h"
#include "model/counts/hugepages.h"
#include "observe/ledger_report.h"
#include "timeline/timeline.h"

#define SUCCEEDED 1	/* the kernel's SCAN_SUCCEED */

/* Bits of .known_if: the rows that have a column. */
#define OF_MEMORY (1ull << 62)	/* lines of processes whose memory is known */
#define OF_REASON (1ull << 63)	/* reasons */
/* Other bits of .needs: a line of the ledger, and the bits that its .unknown lacks. */
#define OF_LINE (1ull << 61)
#define OF_COUNTS (OF_LINE - 1)

struct row {
	struct flt_ledger_row head;
	uint64_t fallbacks, collapsed, refused, split_maps, split_pages;
	uint64_t fallback_ns;		/* mean */
	struct flt_huge_judgement j;
	struct flt_coverage memory;
	const char *value;
};

#define AT(member) FLT_AT(struct row, member)
#define THP(name) FLT_LEDGER_COUNTER(FLT_THP_##name)
#define SECTION(name) FLT_LEDGER_SECTION(FLT_LEDGER_##name)
#define COUNT(member, counters) FLT_COLUMN_COUNT, AT(member), .needs = OF_LINE | (counters)
/* A row of FLT_THP_COUNTERS as data. */
#define COUNTER(name, number, column) \
	{ column, NULL, 0, COUNT(head.n[number], FLT_LEDGER_COUNTER(number)) },
#define MEAN(member, counters) FLT_COLUMN_NS, AT(member), .zero_unknown = true, .needs = counters
#define MEMORY(member) FLT_COLUMN_BYTES, AT(memory.member), .known_if = OF_MEMORY

static const struct flt_column columns[] = {
	FLT_LEDGER_COLUMNS(struct row, head),
	{ NULL, "huge", 7, COUNT(head.n[FLT_THP_FILLED], THP(FILLED)) },
	FLT_THP_COUNTERS_FILLED(COUNTER)
	{ "fallback", "fell back", 9, COUNT(fallbacks, THP(NO_PAGE) | THP(NO_CHARGE)) },
	FLT_THP_COUNTERS_FAULT(COUNTER)
	{ NULL, "zero", 6, COUNT(head.n[FLT_THP_ZERO], THP(ZERO)) },
	{ "collapsed", "collapsed", 9,
	  COUNT(collapsed, THP(COLLAPSED) | THP(COLLAPSED_CALL) | THP(COLLAPSED_FILE)) },
	FLT_THP_COUNTERS_COLLAPSE(COUNTER)
	{ "refused", "refused", 7, COUNT(refused, SECTION(SCANS)) },
	{ "split_mappings", "split", 6, COUNT(split_maps, SECTION(SPLIT_MAPS)) },
	{ "split_pages", "pages", 6, COUNT(split_pages, SECTION(SPLIT_PAGES)) },
	FLT_THP_COUNTERS_SPLIT(COUNTER)
	{ "huge_ns", "huge took", 9, MEAN(j.huge_ns, THP(FILLED) | THP(FILL_NS)) },
	{ "huge_p99_ns", "p99", 6, MEAN(j.huge_p99, SECTION(OCTAVES)) },
	{ "small_ns", "small", 8, MEAN(j.small_ns, THP(FILLED) | THP(FILL_NS)) },
	{ "fallback_ns", NULL, 0,
	  MEAN(fallback_ns, THP(NO_PAGE) | THP(NO_CHARGE) | THP(FALLBACK_NS)) },
	{ "huge_bytes", "mapped", 8, MEMORY(huge) },
	{ "eligible_bytes", "eligible", 8, MEMORY(eligible) },
	{ "covered_percent", "%", 5, FLT_COLUMN_PERCENT, AT(memory.covered), .decimals = 1,
	  .of = offsetof(struct row, memory.eligible) },
	{ "event", NULL, 0, FLT_COLUMN_STRING, AT(head.event) },
	{ "reason", NULL, 0, FLT_COLUMN_STRING, AT(head.reason) },
	{ "value", NULL, 0, FLT_COLUMN_STRING, AT(value) },
	{ "count", NULL, 0, FLT_COLUMN_COUNT, AT(head.count), .known_if = OF_REASON },
	{ 0 },
};

struct report {
	struct thp *t;
	const struct flt_ledger_run_span *span;
	uint64_t page, huge_page;	/* bytes */
};

int thp_report_open(struct thp *t)
{
	return flt_ledger_report_open(&t->run, columns);
}

static int put_line(void *arg, const struct flt_ledger_line *line,
		    const struct flt_ledger_who *who)
{
	struct report *r = arg;
	const struct flt_coverage *memory = line->id ? thp_coverage(r->t, line->id) : NULL;
	struct row row = { .head = flt_ledger_row(r->span, who->record, line, who) };
	const uint64_t *n = line->n.count;

	flt_ledger_row_count(&row.head, line, who);
	row.fallbacks = n[FLT_THP_NO_PAGE] + n[FLT_THP_NO_CHARGE];
	row.fallback_ns = row.fallbacks ? n[FLT_THP_FALLBACK_NS] / row.fallbacks : 0;
	row.collapsed = n[FLT_THP_COLLAPSED] + n[FLT_THP_COLLAPSED_CALL] +
			n[FLT_THP_COLLAPSED_FILE];
	row.refused = flt_ledger_sum(line->n.scan, FLT_SCAN_RESULTS) - line->n.scan[SUCCEEDED];
	row.split_maps = flt_ledger_sum(line->n.split_map, __FLT_SPLIT_CAUSES);
	row.split_pages = flt_ledger_sum(line->n.split_page, __FLT_SPLIT_CAUSES);
	flt_hugepages_judge(line, r->page, r->huge_page, &row.j);
	if (memory)
		row.memory = *memory;
	return flt_table_row(r->t->run.table, &row, OF_LINE | (OF_COUNTS & ~line->unknown) |
			     (memory ? OF_MEMORY : 0));
}

/* Write a reason as a line of text or a row of data, if its count is not 0. */
static int put_reason(struct report *r, const struct flt_ledger_line *line,
		      const struct flt_ledger_who *who, const char *event,
		      const char *reason, uint64_t count)
{
	struct row row = { .head = flt_ledger_row(r->span, "reason", line, who) };

	if (!count)
		return 0;
	if (r->t->run.args->style.format == FLT_FORMAT_TEXT) {
		flt_ledger_report_reason(line, who, event, 22, reason, 30, count);
		return 0;
	}
	row.head.event = event;
	row.head.reason = reason;
	row.head.count = count;
	return flt_table_row(r->t->run.table, &row, OF_REASON);
}

static int put_reasons(void *arg, const struct flt_ledger_line *line,
		       const struct flt_ledger_who *who)
{
	struct report *r = arg;
	char number[32];
	const char *name;
	uint32_t i;
	int ret;

	ret = put_reason(r, line, who, "fell back", "no free huge page",
			 line->n.count[FLT_THP_NO_PAGE]);
	if (!ret)
		ret = put_reason(r, line, who, "fell back", "cgroup limit",
				 line->n.count[FLT_THP_NO_CHARGE]);
	if (!ret)
		ret = put_reason(r, line, who, "no huge page", "region too small or not aligned",
				 line->n.count[FLT_THP_UNFIT]);
	for (i = 0; !ret && i < FLT_SCAN_RESULTS; i++) {
		snprintf(number, sizeof(number), "scan_result %" PRIu32, i);
		name = *r->t->scan[i] ? r->t->scan[i] : number;
		if (i != SUCCEEDED)
			ret = put_reason(r, line, who, "scan refused", name, line->n.scan[i]);
	}
	for (i = 0; !ret && i < __FLT_SPLIT_CAUSES; i++)
		ret = put_reason(r, line, who, "mapping split by", flt_split_cause_name(i),
				 line->n.split_map[i]);
	for (i = 0; !ret && i < __FLT_SPLIT_CAUSES; i++)
		ret = put_reason(r, line, who, "page split by", flt_split_cause_name(i),
				 line->n.split_page[i]);
	return ret;
}

/* Write a counter or setting of the machine. Used as thp_fact_fn. */
static int put_fact(void *arg, const char *what, const char *name, const char *value)
{
	struct report *r = arg;
	struct row row = { .head = flt_ledger_row(r->span, what, NULL, NULL) };

	if (r->t->run.args->style.format == FLT_FORMAT_TEXT) {
		printf("%s %s: %s\n", what, name, value);
		return 0;
	}
	row.head.reason = name;
	row.value = value;
	return flt_table_row(r->t->run.table, &row, 0);
}

/* Write the verdict on the sum of all observed processes. */
static int put_verdict(struct report *r, const struct flt_ledger_line *sum)
{
	static const char *const names[] = {
		[FLT_HUGE_IDLE] = "idle", [FLT_HUGE_PAYS] = "pays", [FLT_HUGE_COSTS] = "costs",
		[FLT_HUGE_SCARCE] = "scarce", [FLT_HUGE_BROKEN] = "broken",
		[FLT_HUGE_UNKNOWN] = "unknown",
	};
	struct flt_huge_judgement j;
	char text[512];

	flt_hugepages_judge(sum, r->page, r->huge_page, &j);
	flt_hugepages_say(&j, text, sizeof(text));
	if (r->t->run.args->style.format == FLT_FORMAT_TEXT) {
		printf("verdict: %s\n", text);
		return 0;
	}
	return put_fact(r, "verdict", names[j.verdict], text);
}

int thp_report(void *arg, const struct flt_ledger_run_span *span)
{
	const struct flt_page_size size = flt_timeline_page_size();
	struct report r = {
		.t = arg, .span = span, .page = 1ull << size.shift,
		.huge_page = (uint64_t)size.huge << size.shift,
	};
	struct flt_ledger_line sum = { 0 };
	int ret = flt_ledger_report(&r.t->run, span, put_line, &r, &sum);

	if (ret || !span->last)
		return ret;
	ret = flt_ledger_run_each(&r.t->run, span, put_reasons, &r, NULL);
	if (!ret)
		ret = thp_machine_since(&r.t->before, put_fact, &r);
	if (!ret)
		ret = thp_machine_settings(put_fact, &r);
	if (!ret)
		ret = put_verdict(&r, &sum);
	flt_table_flush(r.t->run.table, false);
	return ret;
}
