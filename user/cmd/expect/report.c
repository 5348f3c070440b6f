// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - write the results as rows of text, JSON or CSV. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/expect/expect.h"
#include "text/escape.h"

/* Bits of .known_if: the rows that have a value. */
enum { OF_RULE = 1, OF_FAULT = 2, OF_COUNT = 4, OF_RUN = 8 };

struct row {
	const char *record, *verdict, *rule, *file, *op, *why, *comm, *result, *engine;
	const char *stack, *rows;
	char at[280];
	uint32_t line, pid, tid;
	uint64_t count, undecided, limit, faults, since, address, total;
	uint32_t kind, status;
};

static const char *kind_name(uint32_t kind)
{
	return kind ? flt_fault_filter_kind_name(kind) : NULL;
}

#define COMM_BYTES 16	/* TASK_COMM_LEN of the kernel */
#define AT(member) FLT_AT(struct row, member)

static const struct flt_column columns[] = {
	{ "record", NULL, 0, FLT_COLUMN_STRING, AT(record) },
	{ "verdict", "VERDICT", -10, FLT_COLUMN_STRING, AT(verdict) },
	{ "count", "COUNT", 8, FLT_COLUMN_COUNT, AT(count), .known_if = OF_COUNT },
	{ NULL, "AT", -8, FLT_COLUMN_CHARS, AT(at), .spare = 1 },
	{ "rule", "RULE", -20, FLT_COLUMN_STRING, AT(rule) },
	{ "file", NULL, 0, FLT_COLUMN_STRING, AT(file) },
	{ "line", NULL, 0, FLT_COLUMN_COUNT, AT(line), .zero_unknown = true },
	{ "operator", NULL, 0, FLT_COLUMN_STRING, AT(op) },
	{ "limit", NULL, 0, FLT_COLUMN_COUNT, AT(limit), .known_if = OF_RULE },
	{ "undecided", NULL, 0, FLT_COLUMN_COUNT, AT(undecided), .zero_unknown = true },
	{ "why", NULL, 0, FLT_COLUMN_STRING, AT(why), .zero_unknown = true },
	{ NULL, NULL, 0, FLT_COLUMN_LINES, AT(rows) },
	{ "faults", NULL, 0, FLT_COLUMN_COUNT, AT(faults), .known_if = OF_FAULT },
	{ "time_ns", NULL, 0, FLT_COLUMN_COUNT, AT(since), .known_if = OF_FAULT },
	{ "pid", NULL, 0, FLT_COLUMN_COUNT, AT(pid), .known_if = OF_FAULT },
	{ "tid", NULL, 0, FLT_COLUMN_COUNT, AT(tid), .known_if = OF_FAULT },
	{ "comm", NULL, 0, FLT_COLUMN_STRING, AT(comm) },
	{ "result", NULL, 0, FLT_COLUMN_STRING, AT(result) },
	{ "kind", NULL, 0, FLT_COLUMN_NAME, AT(kind), .known_if = OF_FAULT, .name = kind_name },
	{ "address", NULL, 0, FLT_COLUMN_HEX, AT(address), .known_if = OF_FAULT },
	{ "stack", NULL, 0, FLT_COLUMN_LINES, AT(stack) },
	{ "engine", NULL, 0, FLT_COLUMN_STRING, AT(engine) },
	{ "total", NULL, 0, FLT_COLUMN_COUNT, AT(total), .known_if = OF_RUN },
	{ "status", NULL, 0, FLT_COLUMN_COUNT, AT(status), .known_if = OF_RUN },
	{ 0 },
};

static const char *result_of(const struct expect_fault *f)
{
	if (f->flags & FLT_FAULT_FAILED)
		return "failed";
	return f->flags & FLT_FAULT_MAJOR ? "major" : "minor";
}

static uint64_t since(const struct expect_run *r, uint64_t time)
{
	return time > r->load.head.clock ? time - r->load.head.clock : 0;
}

int expect_row_text(struct expect_run *r, const struct expect_row *row, const char *indent,
		    FILE *out)
{
	const struct expect_fault *f = &r->faults[row->first];
	const char *kind = kind_name(f->kind);
	const char *comm = flt_recording_comm(r->load.rec, f->image, f->tid);
	char *lines = expect_stack_lines(r, &r->stacks[f->stack]), *line, *next;
	char name[COMM_BYTES * FLT_ESCAPE_GROWTH];

	if (!lines)
		return -ENOMEM;
	/* A thread chooses its name, and line breaks would end the block in the TAP. */
	flt_escape_text(name, sizeof(name), comm, strlen(comm));
	fprintf(out, "%s%" PRIu64 " %s%s%s, first at %.6f s in thread %" PRIu32 " (%s), address "
		"0x%" PRIx64 "\n", indent, row->count, result_of(f), kind ? " " : "",
		kind ? kind : "", (double)since(r, f->time) / 1e9, f->tid, name, f->address);
	for (line = lines; (next = strchr(line, '\n')); line = next + 1)
		fprintf(out, "%s    %.*s\n", indent, (int)(next - line), line);
	free(lines);
	return 0;
}

/* Return the number of rows of a result to show. */
static size_t shown(const struct expect_run *r, const struct expect_result *result)
{
	return r->args->rows && r->args->rows < result->row_count ? (size_t)r->args->rows :
	       result->row_count;
}

/* Return the lines below a rule of the text. The caller frees them. */
static char *describe(struct expect_run *r, const struct expect_result *result)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);
	int err = out ? 0 : -ENOMEM;

	if (out && result->why[0])
		fprintf(out, "  %s: %s\n", result->verdict == FLT_BUDGET_UNMEASURED ?
			"cannot be measured" : "there may be more faults", result->why);
	for (i = 0; !err && i < shown(r, result); i++)
		err = expect_row_text(r, &result->rows[i], "  ", out);
	if (out && i < result->row_count)
		fprintf(out, "  ... %zu more stacks; -n 0 lists all\n", result->row_count - i);
	if ((out && fclose(out)) || err) {
		free(text);
		return NULL;
	}
	return text;
}

static int write_faults(struct expect_run *r, const struct expect_result *result,
			struct flt_table *table, struct row *row)
{
	const struct flt_image *image;
	const struct expect_fault *f;
	char *lines;
	size_t i;
	int err = 0;

	row->record = "fault";
	for (i = 0; !err && i < shown(r, result); i++) {
		f = &r->faults[result->rows[i].first];
		image = flt_recording_image(r->load.rec, f->image);
		lines = expect_stack_lines(r, &r->stacks[f->stack]);
		if (!lines)
			return -ENOMEM;
		row->faults = result->rows[i].count;
		row->since = since(r, f->time);
		row->pid = image ? image->pid : 0;
		row->tid = f->tid;
		row->comm = flt_recording_comm(r->load.rec, f->image, f->tid);
		row->result = result_of(f);
		row->kind = f->kind;
		row->address = f->address;
		row->stack = lines;
		err = flt_table_row(table, row, OF_RULE | OF_FAULT);
		free(lines);
	}
	return err;
}

static int write_rule(struct expect_run *r, const struct expect_result *result,
		      struct flt_table *table)
{
	const bool text = r->args->style.format == FLT_FORMAT_TEXT;
	const struct flt_rule *rule = result->rule;
	struct row row = {
		.record = "rule", .verdict = flt_budget_verdict_name(result->verdict),
		.rule = rule->text,
		.file = rule->file, .line = rule->line, .op = flt_budget_op_name(rule->op),
		.limit = rule->limit, .count = result->count, .undecided = result->undecided,
		.why = result->why,
	};
	const bool counted = result->verdict != FLT_BUDGET_UNMEASURED;
	char *lines = text ? describe(r, result) : NULL;
	int err;

	if (text && !lines)
		return -ENOMEM;
	snprintf(row.at, sizeof(row.at), "%.256s:%" PRIu32, rule->file, rule->line);
	row.rows = lines;
	err = flt_table_row(table, &row, OF_RULE | (counted ? OF_COUNT : 0));
	free(lines);
	if (!err && !text && result->row_count) {
		row.undecided = 0;
		err = write_faults(r, result, table, &row);
	}
	return err;
}

static void write_sum(const struct expect_run *r, const struct expect_result *results, FILE *out)
{
	size_t n[3] = { 0 }, i;

	for (i = 0; i < r->budget->count; i++)
		n[results[i].verdict]++;
	fprintf(out, "budget %s: %zu kept, %zu broken, %zu not measured; ",
		n[FLT_BUDGET_BROKEN] ? "broken" :
		n[FLT_BUDGET_UNMEASURED] ? "not measured" : "kept",
		n[FLT_BUDGET_KEPT], n[FLT_BUDGET_BROKEN], n[FLT_BUDGET_UNMEASURED]);
	if (r->unobserved)
		fputs("the command was not observed\n", out);
	else
		fprintf(out, "%zu faults by %s\n", r->count, r->engine);
	if (r->command_status)
		fprintf(out, "the command ended with status %d, which is passed on\n",
			r->command_status);
}

int expect_report(struct expect_run *r, const struct expect_result *results, FILE *out)
{
	static const enum flt_budget_verdict order[] = {
		FLT_BUDGET_BROKEN, FLT_BUDGET_UNMEASURED, FLT_BUDGET_KEPT,
	};
	const struct row run = {
		.record = "run", .engine = r->engine, .total = r->count,
		.status = (uint32_t)r->command_status,
	};
	struct flt_table *table = NULL;
	size_t i, k;
	int err = flt_table_new(&table, out, &r->args->style, columns, 0);

	for (k = 0; !err && k < 3; k++)
		for (i = 0; !err && i < r->budget->count; i++)
			if (results[i].verdict == order[k])
				err = write_rule(r, &results[i], table);
	if (!err && r->args->style.format != FLT_FORMAT_TEXT)
		err = flt_table_row(table, &run, r->unobserved ? 0 : OF_RUN);
	if (table)
		flt_table_flush(table, true);
	flt_table_free(table);
	if (!err && r->args->style.format == FLT_FORMAT_TEXT)
		write_sum(r, results, out);
	return err;
}
