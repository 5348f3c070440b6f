// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "text/clock.h"
#include "cli/output.h"
#include "cmd/stats/columns.h"
#include "model/counts/rates.h"
#include "text/units.h"

int stats_report_open(struct stats *s, bool kinds)
{
	size_t count = kinds ? STATS_COLUMNS : COL_KIND_FIRST;
	int ret;

	s->columns = stats_columns_new(s, kinds, false);
	if (!s->columns)
		return -ENOMEM;
	s->kinds = kinds;
	ret = flt_table_new_cells(&s->table, s->out, (enum flt_format)s->args->format, s->columns, count);
	if (ret) {
		free(s->columns);
		s->columns = NULL;
	}
	return ret;
}

void stats_report_close(struct stats *s)
{
	if (s->table)
		stats_report_write(s, false);
	flt_table_free(s->table);
	free(s->columns);
	s->table = NULL;
	s->columns = NULL;
}

void stats_report_since(struct stats *s, uint64_t since, uint64_t now)
{
	char clock[16], length[FLT_UNITS_TEXT];

	if (!stats_is_text(s) || s->session || s->perf)
		return;
	if (!s->control) {
		fprintf(s->out, "since %s began\n", s->by == STATS_BY_MACHINE ?
			"the machine" : "each process");
		return;
	}
	stats_write_clock(s, clock, sizeof(clock), now - since);
	fprintf(s->out, "since accounting began at %s, %s ago\n", clock,
		flt_units_write_ns(length, now - since));
}

/* All rows of a report bear the time at which it was begun. */
void stats_report_begin(struct stats *s)
{
	s->stamp = (double)flt_clock_ns(CLOCK_REALTIME) / 1e9;
}

/* Without a common beginning, a row counts from its own. */
static uint64_t age_of(const struct flt_row *row)
{
	uint64_t ns = flt_clock_ns(CLOCK_BOOTTIME);

	return ns > row->start ? ns - row->start : 0;
}

int stats_report_row(struct stats *s, const char *record, const char *span,
		     const struct flt_row *row, uint64_t ns)
{
	struct flt_cell cells[STATS_COLUMNS] = { 0 };
	char clock[16], kinds[STATS_KINDS_TEXT];

	if (!ns)
		ns = age_of(row);
	stats_fill_head(s, cells, record, span, ns, clock);
	if (row->tgid)
		cells[COL_PID] = flt_cell_u64(row->tgid);
	if (row->tid)
		cells[COL_TID] = flt_cell_u64(row->tid);
	cells[COL_COMM] = flt_cell_string(row->comm);
	stats_fill_account(s, cells, &row->account, ns);
	if (s->kinds) {
		stats_write_kinds(kinds, &row->account);
		cells[COL_KINDS] = flt_cell_string(kinds);
	}
	s->rows_held++;
	return flt_table_cells(s->table, cells);
}

int stats_report_rows(struct stats *s, const char *record, const char *span,
		      const struct flt_rows *rows, uint64_t top, uint64_t ns)
{
	struct flt_row others = { .comm = "(others)" };
	size_t i;
	int ret = 0;

	if (!top || !stats_is_text(s))
		top = rows->count;
	for (i = 0; i < rows->count && i < top && !ret; i++)
		ret = stats_report_row(s, record, span, &rows->row[i], ns);
	for (; i < rows->count; i++)
		flt_rates_add(&others.account, &rows->row[i].account);
	if (top < rows->count && !ret)
		ret = stats_report_row(s, record, span, &others, ns);
	return ret;
}

int stats_report_kinds(struct stats *s, const char *span, const struct flt_account *account,
		       uint64_t ns)
{
	struct flt_cell cells[STATS_COLUMNS] = { 0 };
	char clock[16];
	uint32_t i;
	int ret = 0;

	stats_fill_head(s, cells, "kind", span, ns, clock);
	for (i = 0; i < __FLT_KIND_MAX && !ret; i++) {
		if (!account->kinds[i])
			continue;
		cells[COL_KIND] = flt_cell_string(flt_kind_name(i));
		cells[COL_FAULTS] = flt_cell_u64(account->kinds[i]);
		cells[COL_FAULTS_S] = stats_cell_rate(account->kinds[i], ns);
		s->rows_held++;
		ret = flt_table_cells(s->table, cells);
	}
	return ret;
}

void stats_report_write(struct stats *s, bool headed)
{
	flt_table_flush(s->table, headed);
	output_failed(s->out, &s->unwritten);
}

void stats_report_flush(struct stats *s, bool headed)
{
	char clock[16];

	if (!s->rows_held && stats_is_text(s)) {
		stats_write_clock(s, clock, sizeof(clock), 0);
		fprintf(s->out, "%s  no faults\n", clock);
		headed = false;
	}
	stats_report_write(s, headed);
	s->rows_held = 0;
}
