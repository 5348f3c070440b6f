// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/stats.h"
#include "model/rates.h"
#include "units.h"
#include "view/escape.h"

enum column {
	COL_RECORD, COL_SPAN, COL_CLOCK, COL_TIME, COL_SECONDS, COL_PID, COL_TID, COL_COMM, COL_KIND,
	COL_MINOR_S, COL_MAJOR_S, COL_FAILED_S, COL_FAULTS_S, COL_RETRIES, COL_MINOR, COL_MAJOR,
	COL_FAILED, COL_FAULTS, COL_MISSED, COL_NO_ROW, COL_NO_TASK, COL_BUSY, COL_FULL,
	COL_UNTRACKED, COL_VANISHED, COL_COMPLETE, COL_PROCESSES, COL_USER, COL_SYSTEM, COL_STATUS,
	COL_WAIT_MINOR, COL_WAIT_MAJOR, COL_KINDS, COL_KIND_FIRST,
	COLUMNS = COL_KIND_FIRST + __FLT_KIND_MAX,
};

/* Data has all of them; the text those with a title, less what make_columns() takes. */
static const struct flt_column all_columns[COL_KIND_FIRST] = {
	[COL_RECORD] = { .key = "record" },
	[COL_SPAN] = { .key = "span" },
	[COL_CLOCK] = { .title = "time", .width = -8, .data_absent = true },
	[COL_TIME] = { .key = "time" },
	[COL_SECONDS] = { .key = "seconds" },
	[COL_PID] = { .key = "pid", .title = "pid", .width = 7 },
	[COL_TID] = { .key = "tid", .title = "tid", .width = 7 },
	[COL_COMM] = { .key = "comm", .title = "comm", .width = -15 },
	[COL_KIND] = { .key = "kind", .title = "kind", .width = -9 },
	[COL_MINOR_S] = { .key = "minor_per_second", .title = "minor/s", .width = 10 },
	[COL_MAJOR_S] = { .key = "major_per_second", .title = "major/s", .width = 8 },
	[COL_FAILED_S] = { .key = "failed_per_second", .title = "failed/s", .width = 8 },
	[COL_FAULTS_S] = { .key = "faults_per_second", .title = "faults/s", .width = 10 },
	[COL_RETRIES] = { .key = "retries", .title = "retries", .width = 7 },
	[COL_MINOR] = { .key = "minor", .title = "minor", .width = 9 },
	[COL_MAJOR] = { .key = "major", .title = "major", .width = 7 },
	[COL_FAILED] = { .key = "failed", .title = "failed", .width = 6 },
	[COL_FAULTS] = { .key = "faults", .title = "faults", .width = 9 },
	[COL_MISSED] = { .key = "missed" },
	[COL_NO_ROW] = { .key = "lost_process" },
	[COL_NO_TASK] = { .key = "lost_thread" },
	[COL_BUSY] = { .key = "lost_busy" },
	[COL_FULL] = { .key = "lost_full" },
	[COL_UNTRACKED] = { .key = "untracked" },
	[COL_VANISHED] = { .key = "vanished" },
	[COL_COMPLETE] = { .key = "complete" },
	[COL_PROCESSES] = { .key = "processes" },
	[COL_USER] = { .key = "user_seconds" },
	[COL_SYSTEM] = { .key = "system_seconds" },
	[COL_STATUS] = { .key = "status" },
	[COL_WAIT_MINOR] = { .key = "wait4_minor" },
	[COL_WAIT_MAJOR] = { .key = "wait4_major" },
	[COL_KINDS] = { .title = "kinds", .width = -1, .data_absent = true },
};

/* Titles are taken from the columns that this report has no use for. */
static struct flt_column *make_columns(const struct stats *s, bool kinds, bool summary)
{
	static const char *const kind_keys[] = {
		"kind_unknown", "kind_anon", "kind_huge", "kind_file", "kind_shared", "kind_cow",
		"kind_wp", "kind_swap", "kind_numa", "kind_migration", "kind_uffd", "kind_hugetlb",
		"kind_device", "kind_spurious",
	};
	struct flt_column *columns = calloc(COLUMNS, sizeof(*columns));
	size_t i;

	_Static_assert(sizeof(kind_keys) / sizeof(kind_keys[0]) == __FLT_KIND_MAX,
		       "every kind has a column");
	if (!columns)
		return NULL;
	memcpy(columns, all_columns, sizeof(all_columns));
	for (i = 0; i < __FLT_KIND_MAX; i++)
		columns[COL_KIND_FIRST + i].key = kind_keys[i];

	if (s->by != STATS_BY_THREAD)
		columns[COL_TID].title = NULL;
	if (s->by == STATS_BY_MACHINE)
		columns[COL_PID].title = columns[COL_COMM].title = NULL;
	if (s->by == STATS_BY_KIND) {
		for (i = COL_PID; i <= COL_COMM; i++)
			columns[i].title = NULL;
		for (i = COL_MINOR_S; i <= COL_FAILED; i++)
			if (i != COL_FAULTS_S)
				columns[i].title = NULL;
	} else {
		columns[COL_KIND].title = NULL;
		columns[COL_FAULTS_S].title = columns[COL_FAULTS].title = NULL;
	}
	if (!kinds || s->by == STATS_BY_KIND)
		columns[COL_KINDS].title = NULL;
	if (summary)
		for (i = COL_CLOCK; i <= COL_FAULTS_S; i++)
			if (i != COL_PID && i != COL_COMM)
				columns[i].title = NULL;
	return columns;
}

int stats_report_open(struct stats *s, bool kinds)
{
	size_t count = kinds ? COLUMNS : COL_KIND_FIRST;
	int ret;

	s->columns = make_columns(s, kinds, false);
	if (!s->columns)
		return -ENOMEM;
	s->kinds = kinds;
	ret = flt_table_new(&s->table, s->out, (enum flt_format)s->args->format, s->columns, count);
	if (ret) {
		free(s->columns);
		s->columns = NULL;
	}
	return ret;
}

void stats_report_close(struct stats *s)
{
	flt_table_free(s->table);
	free(s->columns);
	s->table = NULL;
	s->columns = NULL;
}

static bool is_text(const struct stats *s)
{
	return s->args->format == FLT_FORMAT_TEXT;
}

static void write_clock(const struct stats *s, char *text, size_t size, uint64_t ago_ns)
{
	time_t when = (time_t)(s->stamp - (double)ago_ns / 1e9);
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(text, size, "%H:%M:%S", &tm))
		snprintf(text, size, "-");
}

void stats_report_since(struct stats *s, uint64_t since, uint64_t now)
{
	char clock[16], length[FLT_UNITS_TEXT];

	if (!is_text(s) || s->session || s->perf)
		return;
	if (!s->control) {
		fprintf(s->out, "since %s began\n", s->by == STATS_BY_MACHINE ?
			"the machine" : "each process");
		return;
	}
	write_clock(s, clock, sizeof(clock), now - since);
	fprintf(s->out, "since accounting began at %s, %s ago\n", clock,
		flt_units_write_ns(length, now - since));
}

/* "anon 120 cow 33": those that there are, as the enum has them. */
static void write_kinds(char *text, size_t size, const struct flt_account *account)
{
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < __FLT_KIND_MAX && used < size; i++)
		if (account->kinds[i])
			used += (size_t)snprintf(text + used, size - used, "%s%s %" PRIu64,
						 used ? " " : "", flt_kind_name((uint32_t)i),
						 account->kinds[i]);
	if (account->kinds_beyond && used < size)
		snprintf(text + used, size - used, "%snewer %" PRIu64, used ? " " : "",
			 account->kinds_beyond);
}

/* All rows of a report bear the time at which it was begun. */
void stats_report_begin(struct stats *s)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	s->stamp = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void fill_head(const struct stats *s, struct flt_cell *cells, const char *record,
		      const char *span, uint64_t ns, char clock[16])
{
	write_clock(s, clock, 16, 0);
	cells[COL_RECORD] = flt_cell_string(record);
	cells[COL_SPAN] = flt_cell_string(span);
	cells[COL_CLOCK] = flt_cell_string(clock);
	cells[COL_TIME] = flt_cell_double(s->stamp, 3);
	if (ns)
		cells[COL_SECONDS] = flt_cell_double((double)ns / 1e9, 6);
}

static struct flt_cell cell_rate(uint64_t count, uint64_t ns)
{
	return ns ? flt_cell_double(flt_rates_per_second(count, ns), 1) : flt_cell_absent();
}

static void fill_account(const struct stats *s, struct flt_cell *cells,
			 const struct flt_account *account, uint64_t ns)
{
	size_t i;

	cells[COL_MINOR] = flt_cell_u64(account->minor);
	cells[COL_MAJOR] = flt_cell_u64(account->major);
	cells[COL_MINOR_S] = cell_rate(account->minor, ns);
	cells[COL_MAJOR_S] = cell_rate(account->major, ns);
	if (!s->control)
		return;
	cells[COL_FAILED] = flt_cell_u64(account->failed);
	cells[COL_FAILED_S] = cell_rate(account->failed, ns);
	cells[COL_RETRIES] = flt_cell_u64(account->retried);
	cells[COL_MISSED] = flt_cell_u64(account->missed);
	for (i = 0; s->kinds && i < __FLT_KIND_MAX; i++)
		cells[COL_KIND_FIRST + i] = flt_cell_u64(account->kinds[i]);
}

int stats_report_row(struct stats *s, const char *record, const char *span,
		     const struct flt_row *row, uint64_t ns)
{
	struct flt_cell cells[COLUMNS] = { 0 };
	char clock[16], kinds[512];

	fill_head(s, cells, record, span, ns, clock);
	if (row->tgid)
		cells[COL_PID] = flt_cell_u64(row->tgid);
	if (row->tid)
		cells[COL_TID] = flt_cell_u64(row->tid);
	cells[COL_COMM] = flt_cell_string(row->comm);
	fill_account(s, cells, &row->account, ns);
	if (s->kinds) {
		write_kinds(kinds, sizeof(kinds), &row->account);
		cells[COL_KINDS] = flt_cell_string(kinds);
	}
	s->rows_held++;
	return flt_table_row(s->table, cells);
}

int stats_report_kinds(struct stats *s, const char *span, const struct flt_account *account,
		       uint64_t ns)
{
	struct flt_cell cells[COLUMNS] = { 0 };
	char clock[16];
	uint32_t i;
	int ret = 0;

	fill_head(s, cells, "kind", span, ns, clock);
	for (i = 0; i < __FLT_KIND_MAX && !ret; i++) {
		if (!account->kinds[i])
			continue;
		cells[COL_KIND] = flt_cell_string(flt_kind_name(i));
		cells[COL_FAULTS] = flt_cell_u64(account->kinds[i]);
		cells[COL_FAULTS_S] = cell_rate(account->kinds[i], ns);
		s->rows_held++;
		ret = flt_table_row(s->table, cells);
	}
	return ret;
}

void stats_report_flush(struct stats *s, bool headed)
{
	char clock[16];

	if (s->rows_held || !is_text(s)) {
		flt_table_flush(s->table, headed);
	} else {
		write_clock(s, clock, sizeof(clock), 0);
		fprintf(s->out, "%s  no faults\n", clock);
		fflush(s->out);
	}
	s->rows_held = 0;
}

static bool is_complete(const struct flt_loss *loss)
{
	return !(loss->missed || loss->no_row || loss->no_task || loss->busy || loss->full ||
		 loss->untracked || loss->vanished || loss->torn);
}

static void fill_loss(const struct stats *s, struct flt_cell *cells, const struct flt_loss *loss)
{
	if (s->control) {
		cells[COL_MISSED] = flt_cell_u64(loss->missed);
		cells[COL_NO_ROW] = flt_cell_u64(loss->no_row);
		cells[COL_NO_TASK] = flt_cell_u64(loss->no_task);
		cells[COL_BUSY] = flt_cell_u64(loss->busy);
		cells[COL_FULL] = flt_cell_u64(loss->full);
		cells[COL_UNTRACKED] = flt_cell_u64(loss->untracked);
	} else {
		cells[COL_VANISHED] = flt_cell_u64(loss->vanished);
	}
	cells[COL_COMPLETE] = flt_cell_bool(is_complete(loss));
}

int stats_report_loss(struct stats *s, const struct flt_loss *loss)
{
	const struct {
		uint64_t count;
		const char *text;
	} causes[] = {
		{ loss->missed, "faults counted without kind and latency" },
		{ loss->full, "calls missed, too many at once (load flt with a larger maxactive)" },
		{ loss->busy, "calls missed, another probe ran on the CPU" },
		{ loss->no_row, "faults of processes that found the table full" },
		{ loss->no_task, "faults of threads that found the table full" },
		{ loss->untracked, "processes of the command without a row, faults not in the sum" },
		{ loss->vanished, "processes ended between two looks, their last faults unseen" },
	};
	const char *comma = "";
	size_t i;

	if (is_complete(loss)) {
		if (is_text(s))
			fputs("lost   nothing\n", s->out);
		return FLT_EXIT_DONE;
	}
	if (!is_text(s))
		return FLT_EXIT_INCOMPLETE;
	fputs("lost   ", s->out);
	for (i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (!causes[i].count)
			continue;
		fprintf(s->out, "%s%" PRIu64 " %s", comma, causes[i].count, causes[i].text);
		comma = "; ";
	}
	if (loss->torn)
		fprintf(s->out, "%srows retired while they were read", comma);
	fputs(": the result is incomplete\n", s->out);
	return FLT_EXIT_INCOMPLETE;
}

static void write_rate(FILE *out, const char *name, uint64_t count, uint64_t ns)
{
	fprintf(out, "%s %" PRIu64, name, count);
	if (ns)
		fprintf(out, " (%.1f/s)", flt_rates_per_second(count, ns));
}

int stats_report_total(struct stats *s, const struct flt_look *look, uint64_t ns)
{
	const struct flt_account *total = &look->total;
	struct flt_cell cells[COLUMNS] = { 0 };
	char clock[16], kinds[512];

	stats_report_begin(s);
	if (is_text(s)) {
		write_rate(s->out, "total  minor", total->minor, ns);
		write_rate(s->out, ", major", total->major, ns);
		if (s->control) {
			write_rate(s->out, ", failed", total->failed, ns);
			fprintf(s->out, ", retries %" PRIu64, total->retried);
		}
		putc('\n', s->out);
		write_kinds(kinds, sizeof(kinds), total);
		if (kinds[0] && (s->kinds || s->by == STATS_BY_KIND))
			fprintf(s->out, "kinds  %s\n", kinds);
		return stats_report_loss(s, &look->loss);
	}
	fill_head(s, cells, "total", "total", ns, clock);
	fill_account(s, cells, total, ns);
	fill_loss(s, cells, &look->loss);
	if (flt_table_row(s->table, cells))
		return FLT_EXIT_FAILED;
	flt_table_flush(s->table, false);
	return stats_report_loss(s, &look->loss);
}

static void write_command_text(struct stats *s, const struct stats_command *c,
			       const struct flt_look *look)
{
	const struct flt_account *total = &look->total;
	const struct {
		const char *name;
		uint64_t count;
		bool known;
		bool rate;
	} lines[] = {
		{ "minor", total->minor, true, true },
		{ "major", total->major, true, true },
		{ "failed", total->failed, s->control, true },
		{ "retried", total->retried, s->control, false },
		{ "missed", total->missed, s->control, false },
	};
	char word[256];
	uint32_t kind;
	size_t i;

	fputs("\nPage faults of", s->out);
	for (i = 0; c->argv[i] && i < 8; i++) {
		flt_escape_text(word, sizeof(word), c->argv[i], strlen(c->argv[i]));
		fprintf(s->out, " %s", word);
	}
	fprintf(s->out, "%s:\n\n", c->argv[i] ? " ..." : "");
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (!lines[i].known) {
			fprintf(s->out, "%14s  %-8s\n", "-", lines[i].name);
			continue;
		}
		fprintf(s->out, "%14" PRIu64 "  %-8s", lines[i].count, lines[i].name);
		if (lines[i].rate)
			fprintf(s->out, "  %10.1f /s", flt_rates_per_second(lines[i].count,
									   c->elapsed));
		putc('\n', s->out);
	}
	fprintf(s->out, "\n%14.6f  s elapsed\n%14.6f  s user\n%14.6f  s system\n\n",
		(double)c->elapsed / 1e9, (double)c->user / 1e9, (double)c->system / 1e9);
	for (kind = 0; kind < __FLT_KIND_MAX; kind++)
		if (total->kinds[kind])
			fprintf(s->out, "%14" PRIu64 "  %s\n", total->kinds[kind],
				flt_kind_name(kind));
	if (s->control)
		putc('\n', s->out);
}

/* The text has its own columns here; data keeps one shape throughout. */
static int report_processes(struct stats *s, const struct stats_command *c, struct flt_rows *rows)
{
	struct flt_row others = { .comm = "(others)" };
	struct flt_column *columns;
	size_t i, top = rows->count;
	int ret = 0;

	flt_rates_rank(rows);
	if (is_text(s)) {
		flt_table_free(s->table);
		s->table = NULL;
		columns = make_columns(s, s->args->kinds, true);
		if (!columns)
			return -ENOMEM;
		free(s->columns);
		s->columns = columns;
		ret = flt_table_new(&s->table, s->out, FLT_FORMAT_TEXT, columns, COLUMNS);
		if (ret)
			return ret;
		if (s->args->top && s->args->top < top)
			top = s->args->top;
	}
	for (i = 0; i < top && !ret; i++)
		ret = stats_report_row(s, "process", "total", &rows->row[i], c->elapsed);
	for (; i < rows->count; i++)
		flt_rates_add(&others.account, &rows->row[i].account);
	if (top < rows->count && !ret)
		ret = stats_report_row(s, "process", "total", &others, c->elapsed);
	flt_table_flush(s->table, rows->count > 0);
	if (top < rows->count)
		fprintf(s->out, "(others): %zu of %zu processes; --top=0 lists all\n",
			rows->count - top, rows->count);
	return ret;
}

int stats_report_command(struct stats *s, const struct stats_command *c,
			 const struct flt_look *look)
{
	struct flt_rows rows = look->rows;
	struct flt_cell cells[COLUMNS] = { 0 };
	char clock[16];

	stats_report_begin(s);
	if (is_text(s))
		write_command_text(s, c, look);
	if (s->control && report_processes(s, c, &rows))
		return FLT_EXIT_FAILED;
	if (!is_text(s)) {
		fill_head(s, cells, "command", "total", c->elapsed, clock);
		fill_account(s, cells, &look->total, c->elapsed);
		fill_loss(s, cells, &look->loss);
		cells[COL_COMM] = flt_cell_string(c->argv[0]);
		if (s->control)
			cells[COL_PROCESSES] = flt_cell_u64(c->processes);
		cells[COL_USER] = flt_cell_double((double)c->user / 1e9, 6);
		cells[COL_SYSTEM] = flt_cell_double((double)c->system / 1e9, 6);
		cells[COL_STATUS] = flt_cell_i64(c->status);
		cells[COL_WAIT_MINOR] = flt_cell_u64(c->minor);
		cells[COL_WAIT_MAJOR] = flt_cell_u64(c->major);
		if (flt_table_row(s->table, cells))
			return FLT_EXIT_FAILED;
		flt_table_flush(s->table, false);
	}
	return stats_report_loss(s, &look->loss);
}
