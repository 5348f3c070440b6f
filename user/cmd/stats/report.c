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
	s->kinds = kinds;
	return stats_columns_open(s, kinds, false);
}

void stats_report_close(struct stats *s)
{
	if (s->table)
		stats_report_write(s, false);
	flt_table_free(s->table);
	s->table = NULL;
}

void stats_report_since(struct stats *s, uint64_t since, uint64_t now)
{
	char clock[FLT_CLOCK_TEXT], length[FLT_UNITS_TEXT];

	if (!stats_is_text(s) || s->session || s->perf)
		return;
	if (!s->control) {
		fprintf(s->out, "since %s began\n", s->by == STATS_BY_MACHINE ?
			"the machine" : "each process");
		return;
	}
	fprintf(s->out, "since accounting began at %s, %s ago\n",
		flt_clock_write(clock, s->stamp - (now - since), 0),
		flt_units_write_ns(length, now - since));
}

/* Set the time that all rows of the report have. */
void stats_report_begin(struct stats *s)
{
	s->stamp = flt_clock_ns(CLOCK_REALTIME);
}

/* Return the time since the start of a process, in ns. */
static uint64_t age_of(const struct flt_row *row)
{
	uint64_t ns = flt_clock_ns(CLOCK_BOOTTIME);

	return ns > row->start ? ns - row->start : 0;
}

int stats_report_row(struct stats *s, const char *record, const char *span,
		     const struct flt_row *from, uint64_t ns)
{
	const bool retired = from->processes && s->by != STATS_BY_CGROUP;
	struct stats_row row = stats_row_begin(s, retired ? "retired" : record, span,
					       ns ? ns : age_of(from));

	stats_row_processes(&row, from->processes);
	row.pid = from->tgid;
	row.tid = from->tid;
	row.comm = from->comm;
	stats_row_account(s, &row, &from->account);
	if (s->by == STATS_BY_CGROUP)
		stats_row_cgroup(s, &row, from);
	s->rows_held++;
	return stats_row_put(s, &row);
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
	struct stats_row row = stats_row_begin(s, "kind", span, ns);
	uint32_t i;
	int ret = 0;

	for (i = 0; i < __FLT_KIND_MAX && !ret; i++) {
		if (!account->kinds[i])
			continue;
		stats_row_kind(&row, i, account->kinds[i]);
		s->rows_held++;
		ret = stats_row_put(s, &row);
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
	char clock[FLT_CLOCK_TEXT];

	if (!s->rows_held && stats_is_text(s)) {
		fprintf(s->out, "%s  no faults\n", flt_clock_write(clock, s->stamp, 0));
		headed = false;
	}
	stats_report_write(s, headed);
	s->rows_held = 0;
}
