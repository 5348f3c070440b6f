// SPDX-License-Identifier: GPL-2.0-or-later
/* rows.c - write a report as a table, or with one row per stack. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/report.h"
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
};

struct row {
	struct flt_site site;
	double percent;
	uint64_t faults, alloc, refault, reads, writes;
	uint64_t latency;		/* mean, ns */
	const char *source, *object;	/* without directories, for the text */
	char comm[80];
};

#define AT(member) FLT_AT(struct row, member)
#define IN(tables) .text_if = (tables), .data_if = (tables)

static const struct flt_column columns[] = {
	{ "percent", "%", 6, FLT_COLUMN_REAL, AT(percent), .decimals = 2 },
	{ "faults", "FAULTS", 8, FLT_COLUMN_COUNT, AT(faults) },
	{ "alloc", "ALLOC", 7, FLT_COLUMN_COUNT, AT(alloc) },
	{ "refault", "REFAULT", 7, FLT_COLUMN_COUNT, AT(refault) },
	{ "read", "READ", 6, FLT_COLUMN_COUNT, AT(reads), .known_if = HAS_OPS },
	{ "write", "WRITE", 6, FLT_COLUMN_COUNT, AT(writes), .known_if = HAS_OPS },
	{ "major", "MAJOR", 5, FLT_COLUMN_COUNT, AT(site.counts.majors) },
	{ "latency_ns", "MEAN", 6, FLT_COLUMN_NS, AT(latency), .known_if = HAS_LATENCY },
	{ "pid", "PID", 5, FLT_COLUMN_COUNT, AT(site.pid), .known_if = ONE_PROCESS },
	{ "comm", NULL, 0, FLT_COLUMN_CHARS, AT(comm), .known_if = ONE_PROCESS },
	{ NULL, "COMM", -8, FLT_COLUMN_CHARS, AT(comm) },
	{ "tid", "TID", 5, FLT_COLUMN_COUNT, AT(site.tid), .zero_unknown = true, IN(THREADS) },
	{ "address", "ADDRESS", 14, FLT_COLUMN_HEX, AT(site.address), .zero_unknown = true,
	  IN(MEMORY) },
	{ "function", "FUNCTION", -20, FLT_COLUMN_STRING, AT(site.function), IN(CODE) },
	{ "inlined_in", "INLINED IN", -10, FLT_COLUMN_STRING, AT(site.within), IN(CODE) },
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
	char source[256];

	if (row.faults != flt_counts_op(counts, FLT_OP_UNKNOWN))
		known |= HAS_OPS;
	if (row.faults && counts->latency) {
		known |= HAS_LATENCY;
		row.latency = counts->latency / row.faults;
	}
	row.percent = sum ? 100.0 * (double)row.faults / (double)sum : 0;
	row.alloc = flt_counts_touch(counts, FLT_TOUCH_FIRST);
	row.refault = flt_counts_touch(counts, FLT_TOUCH_AGAIN);
	row.reads = flt_counts_op(counts, FLT_OP_READ) + flt_counts_op(counts, FLT_OP_EXEC);
	row.writes = flt_counts_op(counts, FLT_OP_WRITE);
	row.source = flt_report_source(source, sizeof(source), site->file, site->line);
	row.object = site->object ? flt_symbols_base(site->object) : NULL;
	snprintf(row.comm, sizeof(row.comm), "%.64s%s", site->comm, site->several ? ", ..." : "");
	return flt_table_row(table, &row, known);
}

/* Return how many of count rows to write. --top limits text only. */
static size_t rows_shown(const struct flt_report *r, size_t count)
{
	bool limited = r->args->format == FLT_FORMAT_TEXT && r->args->top;

	return limited && r->args->top < count ? (size_t)r->args->top : count;
}

int flt_report_rows(struct flt_report *r)
{
	enum flt_format format = (enum flt_format)r->args->format;
	bool text = format == FLT_FORMAT_TEXT;
	struct flt_table *table;
	struct flt_sites rows;
	size_t i, shown;
	int err;

	err = flt_sites_build(&rows, r->by, r->load.rec, r->symbols, &r->group);
	if (err)
		return flt_command_fail(r->run->command, NULL, err);
	err = flt_table_new(&table, stdout, format, columns, 1u << r->by);
	if (err) {
		flt_sites_free(&rows);
		return flt_command_fail(r->run->command, NULL, err);
	}
	shown = rows_shown(r, rows.count);
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

struct stack_row {
	char *ips, *libs, *code;	/* innermost first, joined by '|' */
	uint64_t faults;
	double percent;
	enum flt_op op;
	enum flt_touch touch;
};

#undef AT
#define AT(member) FLT_AT(struct stack_row, member)

static const struct flt_column stack_columns[] = {
	{ "ips", NULL, 0, FLT_COLUMN_STRING, AT(ips) },
	{ "count", "FAULTS", 8, FLT_COLUMN_COUNT, AT(faults) },
	{ "percent", "%", 7, FLT_COLUMN_REAL, AT(percent), .decimals = 4 },
	{ "op", "OP", -7, FLT_COLUMN_NAME, AT(op), .name = flt_op_name },
	{ "type", "TYPE", -7, FLT_COLUMN_NAME, AT(touch), .name = flt_touch_name },
	{ "lib", NULL, 0, FLT_COLUMN_STRING, AT(libs) },
	{ "code", "STACK", -20, FLT_COLUMN_STRING, AT(code) },
	{ 0 },
};

/* Allocate the lists of a stack. The caller frees them even if -ENOMEM is returned. */
static int stack_lists(struct flt_report *r, const struct flt_group_entry *e, struct stack_row *row)
{
	uint32_t places[FLT_STACK_DEPTH_MAX + 1];
	uint64_t addresses[FLT_STACK_DEPTH_MAX + 1];
	const struct flt_frames *f;
	size_t n, i, k, size[3];
	char *texts[3] = { NULL, NULL, NULL };
	FILE *ip, *lib, *code;
	bool failed;

	places[0] = (uint32_t)e->key.at;
	addresses[0] = e->ip;
	n = 1 + flt_recording_stack(r->load.rec, e->key.image, e->key.id, places + 1, addresses + 1,
				    FLT_STACK_DEPTH_MAX);
	ip = open_memstream(&texts[0], &size[0]);
	lib = open_memstream(&texts[1], &size[1]);
	code = open_memstream(&texts[2], &size[2]);
	failed = !ip || !lib || !code;
	for (i = 0; !failed && i < n; i++) {
		f = flt_symbols_at(r->symbols, places[i]);
		if (!f) {
			failed = true;
			break;
		}
		fprintf(ip, "%s0x%" PRIx64, i ? "|" : "", addresses[i]);
		fprintf(lib, "%s%s", i ? "|" : "", f->object);
		for (k = 0; k < f->count; k++) {
			fprintf(code, "%s%s", k ? "<" : i ? "|" : "", f->frame[k].function);
			if (f->frame[k].file)
				fprintf(code, " (%s:%u)", f->frame[k].file, f->frame[k].line);
		}
	}
	failed |= (ip && fclose(ip)) | (lib && fclose(lib)) | (code && fclose(code));
	row->ips = texts[0];
	row->libs = texts[1];
	row->code = texts[2];
	return failed ? -ENOMEM : 0;
}

static int stack_rows(struct flt_report *r, struct flt_table *table,
		      const struct flt_group_entry *e, uint64_t total)
{
	struct stack_row row = { 0 };
	int err = stack_lists(r, e, &row);

	for (row.op = 0; row.op < __FLT_OP_LAST && !err; row.op++) {
		for (row.touch = 0; row.touch < __FLT_TOUCH_LAST && !err; row.touch++) {
			row.faults = e->counts.by[row.op][row.touch];
			if (!row.faults)
				continue;
			row.percent = 100.0 * (double)row.faults / (double)total;
			err = flt_table_row(table, &row, 0);
		}
	}
	free(row.ips);
	free(row.libs);
	free(row.code);
	return err;
}

int flt_report_stacks(struct flt_report *r)
{
	bool text = r->args->format == FLT_FORMAT_TEXT;
	struct flt_table *table;
	struct flt_sites rows;
	size_t i, shown;
	int err;

	err = flt_sites_build(&rows, FLT_BY_STACK, r->load.rec, r->symbols, &r->group);
	if (err)
		return flt_command_fail(r->run->command, NULL, err);
	err = flt_table_new(&table, stdout, (enum flt_format)r->args->format, stack_columns, 0);
	if (err) {
		flt_sites_free(&rows);
		return flt_command_fail(r->run->command, NULL, err);
	}
	shown = rows_shown(r, rows.count);
	for (i = 0; i < shown && !err; i++)
		err = stack_rows(r, table, &r->group.entries[rows.rows[i].entry],
				 flt_counts_all(&rows.total));
	flt_table_flush(table, true);
	flt_table_free(table);
	if (text && !err && shown < rows.count)
		printf("... %zu more stacks; -n 0 lists all\n", rows.count - shown);
	flt_sites_free(&rows);
	return err ? flt_command_fail(r->run->command, NULL, err) : FLT_EXIT_DONE;
}
