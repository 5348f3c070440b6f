// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stats/columns.h"
#include "model/counts/rates.h"
#include "text/escape.h"

static void write_command_text(struct stats *s, const struct stats_command *c,
			       const struct flt_snapshot *snapshot)
{
	const struct flt_account *total = &snapshot->total;
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
		if (!lines[i].known)
			continue;
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

/* Report how many processes have no row of their own. */
static void report_hidden(const struct stats *s, const struct stats_command *c,
			  const struct flt_rows *rows, uint64_t top)
{
	uint64_t shown = 0, named = 0;
	size_t i;

	for (i = 0; i < rows->count && i < top; i++) {
		shown += rows->row[i].processes ? rows->row[i].processes : 1;
		named += rows->row[i].processes;
	}
	if (named)
		fprintf(s->out, "(rows without a pid): %" PRIu64 " ended processes, summed up by "
			"name; load flt with a larger max_procs for rows\n", named);
	if (rows->count > top)
		fprintf(s->out,
			"(others): %" PRIu64 " of %" PRIu32 " processes; --top=0 lists all\n",
			c->processes > shown ? c->processes - shown : 0, c->processes);
}

/* Report the processes of the command. The text has other columns than reports at intervals. */
static int report_processes(struct stats *s, const struct stats_command *c, struct flt_rows *rows)
{
	uint64_t top = s->args->top == STATS_TOP_UNSET ? STATS_TOP_COMMAND : s->args->top;
	int ret = 0;

	flt_rates_rank(rows);
	if (stats_is_text(s)) {
		flt_table_free(s->table);
		s->table = NULL;
		ret = stats_columns_open(s, s->args->kinds, true);
		if (ret)
			return ret;
	}
	ret = stats_report_rows(s, "process", "total", rows, top, c->elapsed);
	stats_report_write(s, rows->count > 0);
	if (stats_is_text(s))
		report_hidden(s, c, rows, top ? top : rows->count);
	return ret;
}

int stats_report_command(struct stats *s, const struct stats_command *c,
			 const struct flt_snapshot *snapshot)
{
	struct flt_rows rows = snapshot->rows;
	struct stats_row row;
	int err = 0;

	stats_report_begin(s);
	if (stats_is_text(s))
		write_command_text(s, c, snapshot);
	/* The text has the kinds already. */
	if (s->by != STATS_BY_KIND)
		err = s->control ? report_processes(s, c, &rows) : 0;
	else if (!stats_is_text(s))
		err = stats_report_kinds(s, "total", &snapshot->total, c->elapsed);
	if (err)
		return flt_command_fail(s->command, NULL, err);
	if (!stats_is_text(s)) {
		row = stats_row_begin(s, "command", "total", c->elapsed);
		stats_row_account(s, &row, &snapshot->total);
		stats_row_loss(s, &row, &snapshot->loss);
		stats_row_command(s, &row, c);
		err = stats_row_put(s, &row);
		if (err)
			return flt_command_fail(s->command, NULL, err);
		stats_report_write(s, false);
	}
	return stats_report_loss(s, &snapshot->loss);
}
