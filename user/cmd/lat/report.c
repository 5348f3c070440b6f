// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "text/clock.h"
#include "cmd/lat/row.h"
#include "observe/loss.h"
#include "text/escape.h"
#include "text/terminal.h"
#include "text/units.h"

/* Bits of .text_if: the two tables of the text, and the second one with --why. */
enum { IN_ROWS = 1, IN_SLOWEST = 2, IN_CAUSES = 4 };

#define AT(member) FLT_AT(struct lat_row, member)
#define TEXT_OF_ROWS .text_if = IN_ROWS
#define TEXT_OF_SLOWEST .text_if = IN_SLOWEST
#define LATENCY(member) FLT_COLUMN_NS, AT(member), .known_if = LAT_OF_LATENCY, TEXT_OF_ROWS
#define SLOW(member) AT(slow.member), .known_if = LAT_OF_SLOW, TEXT_OF_SLOWEST
#define PART(column, which)								\
	{ column, NULL, 0, FLT_COLUMN_NS, AT(slow.cause[FLT_CAUSE_##which]),		\
	  .known_if = LAT_OF_CAUSE(FLT_CAUSE_##which) }

static const struct flt_column columns[] = {
	{ "record", NULL, 0, FLT_COLUMN_STRING, AT(record) },
	{ "span", NULL, 0, FLT_COLUMN_STRING, AT(span) },
	{ "time", NULL, 0, FLT_COLUMN_CELL, AT(time), .known_if = LAT_OF_SPAN },
	{ "seconds", NULL, 0, FLT_COLUMN_SECONDS, AT(ns), .decimals = 6, .known_if = LAT_OF_SPAN },
	{ "group", "by", -8, FLT_COLUMN_STRING, AT(group), TEXT_OF_ROWS },
	{ "name", "which", -15, FLT_COLUMN_STRING, AT(name), TEXT_OF_ROWS },
	{ "cgroup", NULL, 0, FLT_COLUMN_STRING, AT(cgroup) },
	{ "latency_ns", "slowest", 8, FLT_COLUMN_NS, SLOW(ns) },
	{ NULL, "ended", -8, FLT_COLUMN_CLOCK, AT(ended), TEXT_OF_SLOWEST },
	{ "pid", "pid", 7, FLT_COLUMN_COUNT, AT(slow.tgid),
	  .known_if = LAT_OF_SLOW | LAT_OF_PROCESS, TEXT_OF_SLOWEST },
	{ "tid", "tid", 7, FLT_COLUMN_COUNT, SLOW(tid), .spare = 3 },
	{ "comm", "comm", -15, FLT_COLUMN_CHARS, AT(slow.comm), .known_if = LAT_OF_NAME,
	  TEXT_OF_SLOWEST },
	{ "faults", "faults", 10, FLT_COLUMN_COUNT, AT(faults), .known_if = LAT_OF_COUNT,
	  TEXT_OF_ROWS },
	{ "mean_ns", "mean", 7, LATENCY(mean) },
	{ "p50_ns", "p50", 7, LATENCY(p50) },
	{ "p90_ns", "p90", 7, LATENCY(p90) },
	{ "p99_ns", "p99", 7, LATENCY(p99) },
	{ "p999_ns", "p99.9", 7, LATENCY(p999) },
	{ "max_ns", "max", 7, LATENCY(max) },
	{ "spent_ns", NULL, 0, FLT_COLUMN_NS, AT(spent), .known_if = LAT_OF_TIME },
	{ "from_ns", NULL, 0, FLT_COLUMN_NS, AT(from), .known_if = LAT_OF_BUCKET },
	{ "to_ns", NULL, 0, FLT_COLUMN_NS, AT(to), .zero_unknown = true },
	{ "kind", "kind", -7, FLT_COLUMN_NAME, SLOW(kind), .name = flt_kind_name },
	{ "result", "result", -6, FLT_COLUMN_NAME, SLOW(result), .name = flt_result_name },
	{ "cause", "mostly", -12, FLT_COLUMN_STRING, AT(cause), .zero_unknown = true,
	  .text_if = IN_CAUSES },
	PART("other_ns", OTHER), PART("io_ns", IO), PART("swap_ns", SWAP),
	PART("reclaim_ns", RECLAIM), PART("compaction_ns", COMPACTION),
	PART("thrashing_ns", THRASHING), PART("copy_ns", COPY), PART("queue_ns", QUEUE),
	PART("userfaultfd_ns", USERFAULTFD), PART("unmeasured_ns", UNMEASURED),
	PART("lock_ns", LOCK),
	{ "attempts", "tries", 5, FLT_COLUMN_COUNT, SLOW(attempts), .spare = 1 },
	{ "address", "address", -14, FLT_COLUMN_HEX, SLOW(address), .spare = 2 },
	{ "path", "file", -1, FLT_COLUMN_STRING, AT(path), .zero_unknown = true,
	  TEXT_OF_SLOWEST },
	{ "missed", NULL, 0, FLT_COLUMN_COUNT, AT(missed), .known_if = LAT_OF_TOTAL },
	{ "lost_slow", NULL, 0, FLT_COLUMN_COUNT, AT(lost), .known_if = LAT_OF_TOTAL },
	{ "lost_notes", NULL, 0, FLT_COLUMN_COUNT, AT(lost_notes), .known_if = LAT_OF_TOTAL },
	{ "complete", NULL, 0, FLT_COLUMN_BOOL, AT(complete), .known_if = LAT_OF_TOTAL },
	{ 0 },
};

int lat_report_open(struct lat *l)
{
	const struct flt_table_style *style = &l->args->style;
	int ret;

	setlocale(LC_CTYPE, "");
	l->unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	l->color = flt_terminal_has_color(stdout, l->args->style.color);
	l->wall_offset = flt_clock_wall_offset();
	if (style->format != FLT_FORMAT_TEXT)
		return flt_table_new(&l->data, stdout, style, columns, 0);
	ret = flt_table_new(&l->rows, stdout, style, columns, IN_ROWS);
	if (!ret)
		ret = flt_table_new(&l->examples, stdout, style, columns,
				    IN_SLOWEST | (l->args->why ? IN_CAUSES : 0));
	return ret;
}

void lat_report_close(struct lat *l)
{
	flt_table_free(l->data);
	flt_table_free(l->rows);
	flt_table_free(l->examples);
}

struct lat_row lat_row_begin(const struct lat_report *r, const char *record)
{
	const uint64_t now = r->snapshot->now + r->l->wall_offset;

	return (struct lat_row){
		.record = record, .span = r->span, .ns = r->snapshot->now - r->from,
		.time = flt_cell_double((double)now / 1e9, 3),
	};
}

/* Write a row per bucket that has a fault. Only for JSON and CSV. */
static int put_buckets(const struct lat_report *r, const struct lat_row *of, uint64_t known,
		       const struct flt_hist *hist)
{
	uint32_t i, step = hist->octaves ? 1u << FLT_BUCKET_SHIFT : 1;
	struct lat_row row = *of;
	int ret = 0;

	row.record = "bucket";
	known = LAT_OF_SPAN | LAT_OF_COUNT | LAT_OF_BUCKET | (known & LAT_OF_PROCESS);
	for (i = 0; i < FLT_BUCKETS && !ret; i += step) {
		if (!hist->count[i])
			continue;
		row.from = flt_bucket_floor(i);
		row.to = i + step < FLT_BUCKETS ? flt_bucket_floor(i + step) : 0;
		row.faults = hist->count[i];
		ret = flt_table_row(r->l->data, &row, known);
	}
	return ret;
}

static void fill_latency(struct lat_row *row, const struct flt_hist *hist)
{
	row->mean = flt_hist_mean(hist);
	row->p50 = flt_hist_percentile(hist, 50000);
	row->p90 = flt_hist_percentile(hist, 90000);
	row->p99 = flt_hist_percentile(hist, 99000);
	row->p999 = flt_hist_percentile(hist, 99900);
	row->max = flt_hist_max(hist);
}

/*
 * Write a row. process: a process or, with --by=cgroup, a cgroup; or NULL. hist NULL: only the
 * count is known.
 */
static int put_row(const struct lat_report *r, const char *group, const char *name,
		   const struct flt_row *process, uint64_t count, const struct flt_hist *hist)
{
	struct lat_row row = lat_row_begin(r, "latency");
	uint64_t known = LAT_OF_SPAN | LAT_OF_COUNT;
	struct flt_cgroup_name cgroup;
	struct lat *l = r->l;
	int ret;

	row.group = group;
	row.name = name;
	row.faults = count;
	if (process && l->cgroups) {
		flt_cgroups_name(l->cgroups, process->cgroup, &cgroup);
		row.name = cgroup.name;
		row.cgroup = cgroup.path;
	} else if (process) {
		known |= LAT_OF_PROCESS | LAT_OF_NAME;
		row.slow.tgid = process->tgid;
		memcpy(row.slow.comm, process->comm, sizeof(row.slow.comm));
	}
	if (hist && flt_hist_total(hist)) {
		known |= LAT_OF_LATENCY;
		fill_latency(&row, hist);
	}
	ret = flt_table_row(l->data ? l->data : l->rows, &row, known);
	if (!ret && l->data && hist && !l->args->plain && (l->args->each || !strcmp(group, "all")))
		ret = put_buckets(r, &row, known, hist);
	return ret;
}

static int put_machine(const struct lat_report *r)
{
	static const uint32_t failures[] = {
		FLT_RETURN_OOM, FLT_RETURN_SIGBUS, FLT_RETURN_HWPOISON, FLT_RETURN_HWPOISON_LARGE,
		FLT_RETURN_SIGSEGV,
	};
	const struct lat_snapshot *snapshot = r->snapshot;
	struct flt_hist *failed = calloc(1, sizeof(*failed));
	uint32_t i;
	int ret;

	if (!failed)
		return -ENOMEM;
	for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		flt_hist_add(failed, &snapshot->returned[failures[i]]);
	ret = put_row(r, "result", "minor", NULL, snapshot->total.minor, &snapshot->minor);
	if (!ret && snapshot->total.major)
		ret = put_row(r, "result", "major", NULL, snapshot->total.major, &snapshot->major);
	if (!ret && snapshot->total.failed)
		ret = put_row(r, "result", "failed", NULL, snapshot->total.failed, failed);
	free(failed);
	for (i = 0; i < __FLT_KIND_MAX && !ret; i++)
		if (snapshot->total.kinds[i])
			ret = put_row(r, "kind", flt_kind_name(i), NULL, snapshot->total.kinds[i],
				      &snapshot->kind[i]);
	for (i = 0; i < __FLT_RETURN_MAX && !ret; i++) {
		uint64_t n = flt_hist_total(&snapshot->returned[i]);

		if (n)
			ret = put_row(r, "returned", flt_return_name(i), NULL, n,
				      &snapshot->returned[i]);
	}
	return ret;
}

/* Get the latencies of a row, and return the number of its faults, measured or missed. */
static uint64_t row_hist(const struct lat_report *r, const struct flt_row *row,
			 struct flt_hist *hist)
{
	/* The histograms of a session are exact, and do not know cgroups. */
	if (!r->l->cgroups && lat_snapshot_process(r->snapshot, row->id, hist))
		return flt_hist_total(hist) + row->account.missed;
	flt_hist_account(hist, &row->account);
	return row->account.minor + row->account.major;
}

/* Write a row per process, or per cgroup. */
static int put_process_rows(const struct lat_report *r)
{
	const struct lat_snapshot *snapshot = r->snapshot;
	struct flt_hist *hist;
	uint64_t count;
	size_t i;
	int ret = 0;

	if (r->l->cgroups)
		flt_cgroups_round(r->l->cgroups);
	for (i = 0; i < snapshot->rows.count && !ret; i++) {
		const struct flt_row *row = &snapshot->rows.row[i];
		char name[FLT_COMM_LEN + 16];

		hist = calloc(1, sizeof(*hist));
		if (!hist)
			return -ENOMEM;
		count = row_hist(r, row, hist);
		snprintf(name, sizeof(name), "%" PRIu32 " %s", row->tgid, row->comm);
		ret = put_row(r, r->l->cgroups ? "cgroup" : "process", name, row, count, hist);
		free(hist);
	}
	return ret;
}

/* Write the counts by result and by kind, whose latencies are unknown. */
static int put_counts(const struct lat_report *r)
{
	const struct lat_snapshot *snapshot = r->snapshot;
	size_t i;
	int ret = put_row(r, "result", "minor", NULL, snapshot->total.minor, NULL);

	if (!ret && snapshot->total.major)
		ret = put_row(r, "result", "major", NULL, snapshot->total.major, NULL);
	if (!ret && snapshot->total.failed)
		ret = put_row(r, "result", "failed", NULL, snapshot->total.failed, NULL);
	for (i = 0; i < __FLT_KIND_MAX && !ret; i++)
		if (snapshot->total.kinds[i])
			ret = put_row(r, "kind", flt_kind_name((uint32_t)i), NULL,
				      snapshot->total.kinds[i], NULL);
	return ret;
}

static int put_examples(const struct lat_report *r)
{
	struct lat *l = r->l;
	size_t i;
	int ret = 0;

	for (i = 0; i < l->slowest.count && !ret; i++) {
		const struct lat_slow *s = &l->slowest.slow[i];
		struct lat_row row = lat_row_begin(r, "slowest");
		uint64_t known = LAT_OF_SPAN | LAT_OF_SLOW;
		char cause[32];

		known |= *s->slow.comm ? LAT_OF_NAME : 0;
		row.cause = flt_cause_main(s->slow.cause, s->slow.ns, cause);
		known |= row.cause ? l->causes.known * LAT_OF_CAUSE(0) : 0;
		row.slow = s->slow;
		row.ended = s->slow.time + l->wall_offset;
		row.time = flt_cell_double((double)row.ended / 1e9, 6);
		row.path = s->path;
		ret = flt_table_row(l->data ? l->data : l->examples, &row, known);
	}
	return ret;
}

static void each_heading_write(struct lat *l, const struct flt_row *row)
{
	char name[FLT_ESCAPE_GROWTH * 256 + 1];
	struct flt_cgroup_name cgroup;

	if (l->cgroups) {
		flt_cgroups_name(l->cgroups, row->cgroup, &cgroup);
		flt_escape_text(name, sizeof(name), cgroup.name, strlen(cgroup.name));
		printf("\ncgroup %s\n", name);
		return;
	}
	flt_escape_text(name, sizeof(name), row->comm, strlen(row->comm));
	printf("\nprocess %" PRIu32 " %s\n", row->tgid, name);
}

/* Write a histogram per process or cgroup, kind and returned value. */
static void write_each(const struct lat_report *r)
{
	const struct lat_snapshot *snapshot = r->snapshot;
	struct flt_hist hist;
	uint32_t i;

	for (i = 0; i < snapshot->rows.count; i++) {
		const struct flt_row *row = &snapshot->rows.row[i];

		memset(&hist, 0, sizeof(hist));
		row_hist(r, row, &hist);
		if (!flt_hist_total(&hist))
			continue;
		each_heading_write(r->l, row);
		lat_bars_write(r->l, &hist);
	}

	for (i = 0; i < __FLT_KIND_MAX; i++) {
		if (!flt_hist_total(&snapshot->kind[i]))
			continue;
		printf("\nkind %s\n", flt_kind_name(i));
		lat_bars_write(r->l, &snapshot->kind[i]);
	}
	for (i = 0; i < __FLT_RETURN_MAX; i++) {
		if (!flt_hist_total(&snapshot->returned[i]))
			continue;
		printf("\nreturned %s\n", flt_return_name(i));
		lat_bars_write(r->l, &snapshot->returned[i]);
	}
}

static void write_heading(const struct lat_report *r)
{
	const uint64_t now = r->snapshot->now, offset = r->l->wall_offset;
	char clock[FLT_CLOCK_TEXT], length[FLT_UNITS_TEXT];

	if (r->l->reports)
		putchar('\n');
	if (!strcmp(r->span, "begin") && !r->l->session)
		printf("since accounting began at %s, %s ago\n",
		       flt_clock_write(clock, r->from + offset, 0),
		       flt_units_write_ns(length, now - r->from));
	else
		printf("%s, %s\n", flt_clock_write(clock, now + offset, 0),
		       flt_units_write_ns(length, now - r->from));
}

int lat_report(struct lat *l, const struct lat_snapshot *snapshot, uint64_t from)
{
	const struct lat_report r = { l, snapshot, from, l->reports ? "interval" : "begin" };
	uint64_t count = snapshot->total.minor + snapshot->total.major;
	int ret;

	if (!l->data) {
		write_heading(&r);
		if (!count && !snapshot->total.failed) {
			puts("no faults");
			fflush(stdout);
			return 0;
		}
		if (!l->args->plain) {
			lat_bars_write(l, &snapshot->all);
			putchar('\n');
		}
	}
	ret = put_row(&r, "all", "all", NULL, count, &snapshot->all);
	if (!ret)
		ret = snapshot->by_process ? put_process_rows(&r) : 0;
	if (!ret)
		ret = snapshot->by_process && !snapshot->hists ? put_counts(&r) : put_machine(&r);
	if (!ret && snapshot->by_cgroup && !snapshot->by_process)
		ret = put_process_rows(&r);
	if (!l->data)
		flt_table_flush(l->rows, true);
	if (!l->data && l->args->each)
		write_each(&r);
	if (!ret && snapshot->causes)
		ret = lat_why_write(&r);
	if (!ret)
		ret = put_examples(&r);
	if (l->data) {
		flt_table_flush(l->data, false);
	} else if (l->slowest.count) {
		putchar('\n');
		flt_table_flush(l->examples, true);
	}
	fflush(stdout);
	return ret;
}

int lat_report_loss(struct lat *l, const struct flt_loss *counted)
{
	struct flt_loss loss = *counted;
	struct lat_row row = { .record = "total", .missed = loss.missed };

	loss.slow = l->lost;
	loss.notes = l->lost_notes;
	if (!l->data)
		return flt_loss_print(&loss, stdout);
	row.lost = loss.slow;
	row.lost_notes = loss.notes;
	row.complete = !flt_loss_any(&loss);
	flt_table_row(l->data, &row, LAT_OF_TOTAL);
	flt_table_flush(l->data, false);
	return row.complete ? FLT_EXIT_DONE : FLT_EXIT_INCOMPLETE;
}
