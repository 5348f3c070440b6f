// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/ledger_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/escape.h"

int flt_ledger_report_open(struct flt_ledger_run *run, const struct flt_column *columns)
{
	return flt_table_new(&run->table, stdout, &run->args->style, columns,
			     run->cgroups ? FLT_LEDGER_SHOW_CGROUP : FLT_LEDGER_SHOW_PROCESS);
}

struct flt_ledger_row flt_ledger_row(const struct flt_ledger_run_span *span, const char *record,
				     const struct flt_ledger_line *line,
				     const struct flt_ledger_who *who)
{
	return (struct flt_ledger_row){
		.record = record, .span = span->last ? "total" : "interval", .ns = span->ns,
		.pid = line && line->id ? line->tgid : 0,
		.cgroup = who ? who->cgroup : NULL, .container = who ? who->container : NULL,
	};
}

void flt_ledger_row_count(struct flt_ledger_row *row, const struct flt_ledger_line *line,
			  const struct flt_ledger_who *who)
{
	row->comm = who->comm || !line->id ? who->comm : line->comm;
	memcpy(row->n, line->n.count, sizeof(row->n));
}

int flt_ledger_report(const struct flt_ledger_run *run, const struct flt_ledger_run_span *span,
		      flt_ledger_put_fn put, void *arg, struct flt_ledger_line *sum)
{
	const bool text = run->args->style.format == FLT_FORMAT_TEXT;
	int ret;

	if (text && span->last)
		printf("%stotal of %.1f s\n", span->number ? "\n" : "", (double)span->ns / 1e9);
	ret = flt_ledger_run_each(run, span, put, arg, sum);
	flt_table_flush(run->table, span->last || span->number % 20 == 0);
	if (text && span->last && !ret)
		putchar('\n');
	return ret;
}

void flt_ledger_report_reason(const struct flt_ledger_line *line,
			      const struct flt_ledger_who *who, const char *event,
			      int event_width, const char *reason, int reason_width,
			      uint64_t count)
{
	char name[FLT_CONTAINER_NAME * FLT_ESCAPE_GROWTH];

	if (who->container) {
		flt_escape_text(name, sizeof(name), who->container, strlen(who->container));
		printf("%-20s", name);
	} else if (line->id) {
		printf("%7" PRIu32, line->tgid);
	} else {
		printf("%7s", "-");
	}
	printf("  %-*s %-*s %" PRIu64 "\n", event_width, event, reason_width, reason, count);
}
