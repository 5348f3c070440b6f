// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/stats/columns.h"
#include "observe/loss.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "account/counter.h"
#include "cli/manpage.h"
#include "model/counts/rates.h"

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
#define COUNTER(member, attribute, number, bits, fold, presence, file, column, ...)	\
	[COL_##attribute] = { .key = column },
	FLT_COUNTERS_DETAIL(COUNTER)
#undef COUNTER
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

void stats_columns_manual(FILE *out)
{
	const struct flt_counter *c;
	size_t i;

	fputs(".SH COUNTERS\n"
	      "These columns of\n.B \\-\\-json\nand\n.B \\-\\-csv\nare counters of the module. "
	      "A counter that it cannot keep on the running\nkernel is absent.\n", out);
	for (i = 0; (c = flt_counter_at(i)); i++)
		if (c->column)
			flt_manpage_term(out, c->column, c->meaning);
}

struct flt_column *stats_columns_new(const struct stats *s, bool kinds, bool summary)
{
	static const char *const kind_keys[] = {
		"kind_unknown", "kind_anon", "kind_huge", "kind_file", "kind_shared", "kind_cow",
		"kind_wp", "kind_swap", "kind_numa", "kind_migration", "kind_uffd", "kind_hugetlb",
		"kind_device", "kind_spurious",
	};
	struct flt_column *columns = calloc(STATS_COLUMNS, sizeof(*columns));
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

bool stats_is_text(const struct stats *s)
{
	return s->args->format == FLT_FORMAT_TEXT;
}

void stats_write_clock(const struct stats *s, char *text, size_t size, uint64_t ago_ns)
{
	time_t when = (time_t)(s->stamp - (double)ago_ns / 1e9);
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(text, size, "%H:%M:%S", &tm))
		snprintf(text, size, "-");
}

void stats_write_kinds(char text[STATS_KINDS_TEXT], const struct flt_account *account)
{
	size_t size = STATS_KINDS_TEXT, used = 0, i;

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

void stats_fill_head(const struct stats *s, struct flt_cell *cells, const char *record,
		     const char *span, uint64_t ns, char clock[16])
{
	stats_write_clock(s, clock, 16, 0);
	cells[COL_RECORD] = flt_cell_string(record);
	cells[COL_SPAN] = flt_cell_string(span);
	cells[COL_CLOCK] = flt_cell_string(clock);
	cells[COL_TIME] = flt_cell_double(s->stamp, 3);
	if (ns)
		cells[COL_SECONDS] = flt_cell_double((double)ns / 1e9, 6);
}

struct flt_cell stats_cell_rate(uint64_t count, uint64_t ns)
{
	return ns ? flt_cell_double(flt_rates_per_second(count, ns), 1) : flt_cell_absent();
}

static struct flt_cell counter_cell(uint64_t value, bool known)
{
	return known ? flt_cell_u64(value) : flt_cell_absent();
}

static void fill_details(struct flt_cell *cells, const struct flt_account *account)
{
#define COUNTER(member, attribute, number, ...)	\
	cells[COL_##attribute] = counter_cell(account->member, !(account->unknown >> number & 1));
	FLT_COUNTERS_DETAIL(COUNTER)
#undef COUNTER
}

void stats_fill_account(const struct stats *s, struct flt_cell *cells,
			const struct flt_account *account, uint64_t ns)
{
	size_t i;

	cells[COL_MINOR] = flt_cell_u64(account->minor);
	cells[COL_MAJOR] = flt_cell_u64(account->major);
	cells[COL_MINOR_S] = stats_cell_rate(account->minor, ns);
	cells[COL_MAJOR_S] = stats_cell_rate(account->major, ns);
	if (!s->control)
		return;
	cells[COL_FAILED] = flt_cell_u64(account->failed);
	cells[COL_FAILED_S] = stats_cell_rate(account->failed, ns);
	cells[COL_RETRIES] = flt_cell_u64(account->retried);
	fill_details(cells, account);
	for (i = 0; s->kinds && i < __FLT_KIND_MAX; i++)
		cells[COL_KIND_FIRST + i] = flt_cell_u64(account->kinds[i]);
}

void stats_fill_loss(const struct stats *s, struct flt_cell *cells, const struct flt_loss *loss)
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
	cells[COL_COMPLETE] = flt_cell_bool(!flt_loss_any(loss));
}
