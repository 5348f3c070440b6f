// SPDX-License-Identifier: GPL-2.0-or-later
/* report: the table, and one row for each stack. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/report.h"
#include "view/table/table.h"

enum { PERCENT, FAULTS, ALLOC, REFAULT, READ, WRITE, MAJOR, LATENCY, PID, COMM, TID, ADDRESS, FUNCTION, WITHIN, SOURCE,
       OBJECT, COLUMNS };

const char *flt_report_source(char *buf, size_t size, const char *file, uint32_t line)
{
	if (!file)
		return NULL;
	snprintf(buf, size, "%s:%u", flt_symbols_base(file), line);
	return buf;
}

struct texts {
	char source[256], comm[80];
};

static void cells_of(struct flt_cell *cells, const struct flt_site *row, const struct flt_counts *total, bool text,
		     struct texts *t)
{
	uint64_t all = flt_counts_all(&row->counts), unknown = flt_counts_op(&row->counts, FLT_OP_UNKNOWN);
	uint64_t sum = flt_counts_all(total);

	snprintf(t->comm, sizeof(t->comm), "%.64s%s", row->comm, row->several ? ", ..." : "");
	cells[PERCENT] = flt_cell_double(sum ? 100.0 * (double)all / (double)sum : 0, 2);
	cells[FAULTS] = flt_cell_u64(all);
	cells[ALLOC] = flt_cell_u64(flt_counts_touch(&row->counts, FLT_TOUCH_FIRST));
	cells[REFAULT] = flt_cell_u64(flt_counts_touch(&row->counts, FLT_TOUCH_AGAIN));
	cells[READ] = all == unknown ? flt_cell_absent() : flt_cell_u64(flt_counts_op(&row->counts, FLT_OP_READ) +
									flt_counts_op(&row->counts, FLT_OP_EXEC));
	cells[WRITE] = all == unknown ? flt_cell_absent() : flt_cell_u64(flt_counts_op(&row->counts, FLT_OP_WRITE));
	cells[MAJOR] = flt_cell_u64(row->counts.majors);
	cells[LATENCY] = row->counts.latency && all ? flt_cell_ns(row->counts.latency / all) : flt_cell_absent();
	cells[PID] = row->several ? flt_cell_absent() : flt_cell_u64(row->pid);
	cells[COMM] = row->several && !text ? flt_cell_absent() : flt_cell_string(t->comm);
	cells[TID] = row->tid ? flt_cell_u64(row->tid) : flt_cell_absent();
	cells[ADDRESS] = row->address ? flt_cell_hex(row->address) : flt_cell_absent();
	cells[FUNCTION] = flt_cell_string(row->function);
	cells[WITHIN] = flt_cell_string(row->within);
	cells[SOURCE] = flt_cell_string(text ? flt_report_source(t->source, sizeof(t->source), row->file, row->line) : row->file);
	cells[OBJECT] = flt_cell_string(row->object && text ? flt_symbols_base(row->object) : row->object);
}

/* Columns that no row of this kind has a value for are left out. */
static size_t columns_of(enum flt_by by, bool text, struct flt_column *columns, int *which)
{
	static const struct flt_column all[COLUMNS] = {
		[PERCENT] = { .key = "percent", .title = "%", .width = 6 },	[FAULTS] = { .key = "faults", .title = "FAULTS", .width = 8 },
		[ALLOC] = { .key = "alloc", .title = "ALLOC", .width = 7 },	[REFAULT] = { .key = "refault", .title = "REFAULT", .width = 7 },
		[READ] = { .key = "read", .title = "READ", .width = 6 },		[WRITE] = { .key = "write", .title = "WRITE", .width = 6 },
		[MAJOR] = { .key = "major", .title = "MAJOR", .width = 5 },	[LATENCY] = { .key = "latency_ns", .title = "MEAN", .width = 6 },
		[PID] = { .key = "pid", .title = "PID", .width = 5 },		[COMM] = { .key = "comm", .title = "COMM", .width = -8 },
		[TID] = { .key = "tid", .title = "TID", .width = 5 },		[ADDRESS] = { .key = "address", .title = "ADDRESS", .width = 14 },
		[FUNCTION] = { .key = "function", .title = "FUNCTION", .width = -20 }, [WITHIN] = { .key = "inlined_in", .title = "INLINED IN", .width = -10 },
		[SOURCE] = { .key = "file", .title = "SOURCE", .width = -12 },	[OBJECT] = { .key = "object", .title = "OBJECT", .width = -8 },
	};
	bool code = by == FLT_BY_LINE || by == FLT_BY_FUNCTION, shown;
	size_t n = 0;
	int i;

	for (i = 0; i < COLUMNS; i++) {
		shown = i == TID ? by == FLT_BY_THREAD : i == ADDRESS ? by == FLT_BY_VMA || by == FLT_BY_ADDRESS :
			i == FUNCTION || i == WITHIN ? code : i == SOURCE ? by == FLT_BY_LINE : i == OBJECT ? by != FLT_BY_THREAD : true;
		if (!shown)
			continue;
		columns[n] = all[i];
		which[n++] = i;
		if (i == SOURCE && !text) {
			columns[n] = (struct flt_column){ .key = "line" };
			which[n++] = COLUMNS;
		}
	}
	return n;
}

int flt_report_rows(struct flt_report *r)
{
	struct flt_column columns[COLUMNS + 1];
	struct flt_cell cells[COLUMNS], picked[COLUMNS + 1];
	bool text = r->args->format == FLT_FORMAT_TEXT;
	struct flt_table *table;
	struct flt_sites rows;
	int which[COLUMNS + 1], err;
	size_t n, k, i, shown;
	struct texts texts;

	err = flt_sites_build(&rows, r->by, r->load.rec, r->symbols, &r->group);
	if (err)
		return flt_command_fail(r->run->command, NULL, err);
	n = columns_of(r->by, text, columns, which);
	err = flt_table_new_cells(&table, stdout, (enum flt_format)r->args->format, columns, n);
	if (err) {
		flt_sites_free(&rows);
		return flt_command_fail(r->run->command, NULL, err);
	}
	shown = text && r->args->top && r->args->top < rows.count ? (size_t)r->args->top : rows.count;
	for (i = 0; i < shown && !err; i++) {
		cells_of(cells, &rows.rows[i], &rows.total, text, &texts);
		for (k = 0; k < n; k++)
			picked[k] = which[k] < COLUMNS ? cells[which[k]] :
				    rows.rows[i].line ? flt_cell_u64(rows.rows[i].line) : flt_cell_absent();
		err = flt_table_cells(table, picked);
	}
	flt_table_flush(table, true);
	flt_table_free(table);
	if (text && !err) {
		if (shown < rows.count)
			printf("... %zu more rows; -n 0 lists all\n", rows.count - shown);
		printf("%" PRIu64 " faults: %" PRIu64 " first touches, %" PRIu64 " refaults, %" PRIu64 " major\n",
		       flt_counts_all(&rows.total), flt_counts_touch(&rows.total, FLT_TOUCH_FIRST),
		       flt_counts_touch(&rows.total, FLT_TOUCH_AGAIN), rows.total.majors);
	}
	flt_sites_free(&rows);
	return err ? flt_command_fail(r->run->command, NULL, err) : FLT_EXIT_DONE;
}

/* One stack as lists joined by '|', the innermost first. */
static int stack_lists(struct flt_report *r, const struct flt_group_entry *e, char **ips, char **libs, char **codes)
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
	n = 1 + flt_recording_stack(r->load.rec, e->key.image, e->key.id, places + 1, addresses + 1, FLT_STACK_DEPTH_MAX);
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
	*ips = texts[0];
	*libs = texts[1];
	*codes = texts[2];
	return failed ? -ENOMEM : 0;
}

static int stack_rows(struct flt_report *r, struct flt_table *table, const struct flt_group_entry *e, uint64_t total)
{
	char *ips, *libs, *codes;
	struct flt_cell cells[7];
	int err = stack_lists(r, e, &ips, &libs, &codes), op, touch;

	for (op = 0; op < __FLT_OP_LAST && !err; op++) {
		for (touch = 0; touch < __FLT_TOUCH_LAST && !err; touch++) {
			if (!e->counts.by[op][touch])
				continue;
			cells[0] = flt_cell_string(ips);
			cells[1] = flt_cell_u64(e->counts.by[op][touch]);
			cells[2] = flt_cell_double(100.0 * (double)e->counts.by[op][touch] / (double)total, 4);
			cells[3] = flt_cell_string(flt_op_name(op));
			cells[4] = flt_cell_string(flt_touch_name(touch));
			cells[5] = flt_cell_string(libs);
			cells[6] = flt_cell_string(codes);
			err = flt_table_cells(table, cells);
		}
	}
	free(ips);
	free(libs);
	free(codes);
	return err;
}

int flt_report_stacks(struct flt_report *r)
{
	static const struct flt_column columns[] = {
		{ .key = "ips" },	{ .key = "count", .title = "FAULTS", .width = 8 }, { .key = "percent", .title = "%", .width = 7 },
		{ .key = "op", .title = "OP", .width = -7 },	{ .key = "type", .title = "TYPE", .width = -7 },	{ .key = "lib" },
		{ .key = "code", .title = "STACK", .width = -20 },
	};
	bool text = r->args->format == FLT_FORMAT_TEXT;
	struct flt_table *table;
	struct flt_sites rows;
	size_t i, shown;
	int err;

	err = flt_sites_build(&rows, FLT_BY_STACK, r->load.rec, r->symbols, &r->group);
	if (err)
		return flt_command_fail(r->run->command, NULL, err);
	err = flt_table_new_cells(&table, stdout, (enum flt_format)r->args->format, columns, sizeof(columns) / sizeof(columns[0]));
	if (err) {
		flt_sites_free(&rows);
		return flt_command_fail(r->run->command, NULL, err);
	}
	shown = text && r->args->top && r->args->top < rows.count ? (size_t)r->args->top : rows.count;
	for (i = 0; i < shown && !err; i++)
		err = stack_rows(r, table, &r->group.entries[rows.rows[i].entry], flt_counts_all(&rows.total));
	flt_table_flush(table, true);
	flt_table_free(table);
	if (text && !err && shown < rows.count)
		printf("... %zu more stacks; -n 0 lists all\n", rows.count - shown);
	flt_sites_free(&rows);
	return err ? flt_command_fail(r->run->command, NULL, err) : FLT_EXIT_DONE;
}
