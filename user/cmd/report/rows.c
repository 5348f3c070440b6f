// SPDX-License-Identifier: GPL-2.0-or-later
/* rows.c - write a report as a table. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/report/report.h"
#include "source/proc/container.h"
#include "view/table/table.h"

const char *flt_report_source(char *buf, size_t size, const char *file, uint32_t line)
{
	if (!file)
		return NULL;
	snprintf(buf, size, "%s:%u", flt_symbols_base(file), line);
	return buf;
}

/* Bits of .known_if: the rows that have a value. */
enum { HAS_OPS = 1, HAS_LATENCY = 2, ONE_PROCESS = 4 };

/* Bits of .text_if: the tables that have a column, 1 << enum flt_by. */
enum {
	LINES = 1 << FLT_BY_LINE,
	CODE = LINES | 1 << FLT_BY_FUNCTION,
	THREADS = 1 << FLT_BY_THREAD,
	MEMORY = 1 << FLT_BY_VMA | 1 << FLT_BY_ADDRESS,
	OBJECTS = CODE | MEMORY | 1 << FLT_BY_OBJECT,
	CGROUPS = 1 << FLT_BY_CGROUP,
};

struct row {
	struct flt_site site;
	double percent;
	uint64_t faults, alloc, refault, reads, writes;
	uint64_t latency;		/* mean, ns */
	const char *source, *object;	/* without directories, for the text */
	const char *container;
	char comm[80];
};

#define AT(member) FLT_AT(struct row, member)
#define IN(tables) .text_if = (tables), .data_if = (tables)

static const struct flt_column columns[] = {
	{ "percent", "%", 6, FLT_COLUMN_REAL, AT(percent), .decimals = 2 },
	{ "faults", "FAULTS", 8, FLT_COLUMN_COUNT, AT(faults) },
	{ "alloc", "ALLOC", 7, FLT_COLUMN_COUNT, AT(alloc) },
	{ "refault", "REFAULT", 7, FLT_COLUMN_COUNT, AT(refault) },
	{ "read", "READ", 6, FLT_COLUMN_COUNT, AT(reads), .known_if = HAS_OPS, .spare = 1 },
	{ "write", "WRITE", 6, FLT_COLUMN_COUNT, AT(writes), .known_if = HAS_OPS, .spare = 1 },
	{ "major", "MAJOR", 5, FLT_COLUMN_COUNT, AT(site.counts.majors), .spare = 2 },
	{ "latency_ns", "MEAN", 6, FLT_COLUMN_NS, AT(latency), .known_if = HAS_LATENCY,
	  .spare = 3 },
	{ "cgroup", NULL, 0, FLT_COLUMN_STRING, AT(site.cgroup), IN(CGROUPS) },
	{ "container", "CGROUP", -20, FLT_COLUMN_STRING, AT(container), IN(CGROUPS) },
	{ "pid", "PID", 5, FLT_COLUMN_COUNT, AT(site.pid), .known_if = ONE_PROCESS, .spare = 3 },
	{ "comm", NULL, 0, FLT_COLUMN_CHARS, AT(comm), .known_if = ONE_PROCESS },
	{ NULL, "COMM", -8, FLT_COLUMN_CHARS, AT(comm), .spare = 5 },
	{ "tid", "TID", 5, FLT_COLUMN_COUNT, AT(site.tid), .zero_unknown = true, IN(THREADS) },
	{ "address", "ADDRESS", 14, FLT_COLUMN_HEX, AT(site.address), .zero_unknown = true,
	  IN(MEMORY) },
	{ "function", "FUNCTION", -20, FLT_COLUMN_STRING, AT(site.function), IN(CODE) },
	{ "inlined_in", "INLINED IN", -10, FLT_COLUMN_STRING, AT(site.within), .spare = 4,
	  IN(CODE) },
	{ "file", NULL, 0, FLT_COLUMN_STRING, AT(site.file), IN(LINES) },
	{ "line", NULL, 0, FLT_COLUMN_COUNT, AT(site.line), .zero_unknown = true, IN(LINES) },
	{ NULL, "SOURCE", -12, FLT_COLUMN_STRING, AT(source), IN(LINES) },
	{ "object", NULL, 0, FLT_COLUMN_STRING, AT(site.object), IN(OBJECTS) },
	{ NULL, "OBJECT", -8, FLT_COLUMN_STRING, AT(object), IN(OBJECTS) },
	{ 0 },
};

static int site_write(struct flt_table *table, const struct flt_site *site, uint64_t sum)
{
	const struct flt_counts *counts = &site->counts;
	struct row row = { .site = *site, .faults = flt_counts_all(counts) };
	uint64_t known = site->several ? 0 : ONE_PROCESS;
	char source[256], container[FLT_CONTAINER_NAME];

	if (row.faults != flt_counts_op(counts, FLT_OP_UNKNOWN))
		known |= HAS_OPS;
	if (counts->timed) {
		known |= HAS_LATENCY;
		row.latency = counts->latency / counts->timed;
	}
	row.percent = sum ? 100.0 * (double)row.faults / (double)sum : 0;
	row.alloc = flt_counts_touch(counts, FLT_TOUCH_FIRST);
	row.refault = flt_counts_touch(counts, FLT_TOUCH_AGAIN);
	row.reads = flt_counts_op(counts, FLT_OP_READ) + flt_counts_op(counts, FLT_OP_EXEC);
	row.writes = flt_counts_op(counts, FLT_OP_WRITE);
	row.source = flt_report_source(source, sizeof(source), site->file, site->line);
	row.object = site->object ? flt_symbols_base(site->object) : NULL;
	row.container = flt_container_label(site->cgroup, container);
	snprintf(row.comm, sizeof(row.comm), "%.64s%s", site->comm, site->several ? ", ..." : "");
	return flt_table_row(table, &row, known);
}

size_t flt_report_shown(const struct flt_report *r, size_t count)
{
	bool limited = r->args->style.format == FLT_FORMAT_TEXT && r->args->top;

	return limited && r->args->top < count ? (size_t)r->args->top : count;
}

int flt_report_rows(struct flt_report *r)
{
	enum flt_format format = (enum flt_format)r->args->style.format;
	bool text = format == FLT_FORMAT_TEXT;
	struct flt_table *table;
	struct flt_sites rows;
	size_t i, shown;
	int err;

	err = flt_sites_build(&rows, r->by, r->load.rec, r->symbols, &r->group);
	flt_report_erase_progress(r);
	if (err)
		return flt_command_fail(r->run->command, NULL, err);
	err = flt_table_new(&table, stdout, &r->args->style, columns, 1u << r->by);
	if (err) {
		flt_sites_free(&rows);
		return flt_command_fail(r->run->command, NULL, err);
	}
	shown = flt_report_shown(r, rows.count);
	for (i = 0; i < shown && !err; i++)
		err = site_write(table, &rows.rows[i], flt_counts_all(&rows.total));
	flt_table_flush(table, true);
	flt_table_free(table);
	if (text && !err) {
		if (shown < rows.count)
			printf("... %zu more rows; -n 0 lists all\n", rows.count - shown);
		printf("%" PRIu64 " faults: %" PRIu64 " first touches, %" PRIu64 " refaults, %"
		       PRIu64 " major\n",
		       flt_counts_all(&rows.total), flt_counts_touch(&rows.total, FLT_TOUCH_FIRST),
		       flt_counts_touch(&rows.total, FLT_TOUCH_AGAIN), rows.total.majors);
	}
	flt_sites_free(&rows);
	return err ? flt_command_fail(r->run->command, NULL, err) : FLT_EXIT_DONE;
}
