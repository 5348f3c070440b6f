// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - write a report with one row per stack, in our columns or in those of fltrace. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/report.h"
#include "view/table/table.h"

struct stack_row {
	char *ips, *libs, *code;	/* lists, innermost first */
	uint64_t faults;
	double percent;
	enum flt_op op;
	enum flt_touch touch;
	/* Of fltrace. */
	uint64_t flags;
	const char *type;
};

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

/* The access is known: bit of .known_if. */
enum { HAS_OP = 1 };

/* As parse.py of fltrace writes them (pandas.DataFrame.to_csv()). */
static const struct flt_column fltrace_columns[] = {
	{ "ips", NULL, 0, FLT_COLUMN_STRING, AT(ips) },
	{ "flags", NULL, 0, FLT_COLUMN_COUNT, AT(flags), .known_if = HAS_OP },
	{ "count", NULL, 0, FLT_COLUMN_COUNT, AT(faults) },
	{ "percent", NULL, 0, FLT_COLUMN_REAL, AT(percent), .decimals = 0 },
	{ "op", NULL, 0, FLT_COLUMN_NAME, AT(op), .name = flt_op_name },
	{ "type", NULL, 0, FLT_COLUMN_STRING, AT(type) },
	{ "lib", NULL, 0, FLT_COLUMN_STRING, AT(libs) },
	{ "code", NULL, 0, FLT_COLUMN_STRING, AT(code) },
	{ 0 },
};

static void print_code(FILE *out, const struct flt_frames *f)
{
	size_t k;

	for (k = 0; k < f->count; k++) {
		fprintf(out, "%s%s", k ? "<" : "", f->frame[k].function);
		if (f->frame[k].file)
			fprintf(out, " (%s:%u)", f->frame[k].file, f->frame[k].line);
	}
}

/* Return true if the scripts of fltrace would take a part of the text for a separator. */
static bool fltrace_confuses(const char *text)
{
	return strstr(text, "<//>") || strstr(text, "<<<") || strstr(text, "??") ||
	       strpbrk(text, ":\n");
}

/* As `addr2line -p -i`, with the separator that parse.py puts before inlined places. */
static void print_fltrace_code(FILE *out, const struct flt_frames *f)
{
	size_t k;

	for (k = 0; k < f->count; k++) {
		const char *file = f->frame[k].file;

		if (file && !fltrace_confuses(file))
			fprintf(out, "%s%s:%u", k ? "<<<" : "", file, f->frame[k].line);
		else
			fprintf(out, "%s??:?", k ? "<<<" : "");
	}
}

static void print_object(FILE *out, const struct flt_frames *f)
{
	fputs(f->object, out);
}

static void print_fltrace_object(FILE *out, const struct flt_frames *f)
{
	fputs(fltrace_confuses(f->object) ? "??" : f->object, out);
}

/* How the lists of a stack are written. */
struct stack_style {
	const char *separator;		/* of .libs and .code; that of .ips is always '|' */
	unsigned int handlers;		/* unknown frames before the innermost one */
	void (*print_lib)(FILE *out, const struct flt_frames *frames);
	void (*print_code)(FILE *out, const struct flt_frames *frames);
};

static const struct stack_style own_style = {
	.separator = "|", .print_lib = print_object, .print_code = print_code,
};

/*
 * fltrace finds stacks in its signal handler. Its scripts remove the two addresses of the
 * handler, and require that they are the same in all stacks.
 */
static const struct stack_style fltrace_style = {
	.separator = "<//>", .handlers = 2,
	.print_lib = print_fltrace_object, .print_code = print_fltrace_code,
};

/* Allocate the lists of a stack. The caller frees them even if -ENOMEM is returned. */
static int stack_lists(struct flt_report *r, const struct flt_group_entry *e,
		       const struct stack_style *style, struct stack_row *row)
{
	uint32_t places[FLT_STACK_DEPTH_MAX + 1];
	uint64_t addresses[FLT_STACK_DEPTH_MAX + 1];
	const struct flt_frames *f;
	size_t n, i, size[3];
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
	for (i = 0; !failed && i < style->handlers; i++) {
		fputs("0x0|", ip);
		fprintf(lib, "??%s", style->separator);
		fprintf(code, "??:?%s", style->separator);
	}
	for (i = 0; !failed && i < n; i++) {
		f = flt_symbols_at(r->symbols, places[i]);
		if (!f) {
			failed = true;
			break;
		}
		fprintf(ip, "%s0x%" PRIx64, i ? "|" : "", addresses[i]);
		fputs(i ? style->separator : "", lib);
		style->print_lib(lib, f);
		fputs(i ? style->separator : "", code);
		style->print_code(code, f);
	}
	failed |= (ip && fclose(ip)) | (lib && fclose(lib)) | (code && fclose(code));
	row->ips = texts[0];
	row->libs = texts[1];
	row->code = texts[2];
	return failed ? -ENOMEM : 0;
}

static void free_lists(struct stack_row *row)
{
	free(row->ips);
	free(row->libs);
	free(row->code);
}

/* Write a stack: a row per access and touch. */
static int write_stack(struct flt_report *r, struct flt_table *table,
		       const struct flt_group_entry *e, uint64_t total)
{
	struct stack_row row = { 0 };
	int err = stack_lists(r, e, &own_style, &row);

	for (row.op = 0; row.op < __FLT_OP_LAST && !err; row.op++) {
		for (row.touch = 0; row.touch < __FLT_TOUCH_LAST && !err; row.touch++) {
			row.faults = e->counts.by[row.op][row.touch];
			if (!row.faults)
				continue;
			row.percent = 100.0 * (double)row.faults / (double)total;
			err = flt_table_row(table, &row, 0);
		}
	}
	free_lists(&row);
	return err;
}

/*
 * Write a stack as fltrace: the first touch of a page is "zero", all others are "regular".
 * fltrace knows read (0) and write (1); reading an instruction is a read. Bit 5 of the flags
 * is set for "zero".
 */
static int write_fltrace_stack(struct flt_report *r, struct flt_table *table,
			       const struct flt_group_entry *e, uint64_t total)
{
	static const enum flt_op ops[] = { FLT_OP_READ, FLT_OP_WRITE, FLT_OP_UNKNOWN };
	struct stack_row row = { 0 };
	int err = stack_lists(r, e, &fltrace_style, &row);
	size_t i, zero;

	for (i = 0; i < 2 * sizeof(ops) / sizeof(ops[0]) && !err; i++) {
		const uint64_t *by;

		row.op = ops[i / 2];
		zero = i % 2;
		by = e->counts.by[row.op];
		row.faults = zero ? by[FLT_TOUCH_FIRST] :
				    by[FLT_TOUCH_AGAIN] + by[FLT_TOUCH_OTHER];
		if (row.op == FLT_OP_READ) {
			by = e->counts.by[FLT_OP_EXEC];
			row.faults += zero ? by[FLT_TOUCH_FIRST] :
					     by[FLT_TOUCH_AGAIN] + by[FLT_TOUCH_OTHER];
		}
		if (!row.faults)
			continue;
		row.type = zero ? "zero" : "regular";
		row.flags = (row.op == FLT_OP_WRITE) | zero << 5;
		/* fltrace drops the fraction. */
		row.percent = (double)(100 * row.faults / total);
		err = flt_table_row(table, &row, row.op == FLT_OP_UNKNOWN ? 0 : HAS_OP);
	}
	free_lists(&row);
	return err;
}

int flt_report_stacks(struct flt_report *r)
{
	bool fltrace = r->args->layout == FLT_REPORT_FLTRACE;
	const struct flt_table_style style = fltrace ?
		(struct flt_table_style){ .format = FLT_FORMAT_CSV } : r->args->style;
	struct flt_table *table;
	struct flt_sites rows;
	size_t i, shown;
	int err;

	err = flt_sites_build(&rows, FLT_BY_STACK, r->load.rec, r->symbols, &r->group);
	if (err)
		return flt_command_fail(r->run->command, NULL, err);
	err = flt_table_new(&table, stdout, &style, fltrace ? fltrace_columns : stack_columns, 0);
	if (err) {
		flt_sites_free(&rows);
		return flt_command_fail(r->run->command, NULL, err);
	}
	shown = fltrace ? rows.count : flt_report_shown(r, rows.count);
	for (i = 0; i < shown && !err; i++) {
		const struct flt_group_entry *e = &r->group.entries[rows.rows[i].entry];
		uint64_t total = flt_counts_all(&rows.total);

		err = fltrace ? write_fltrace_stack(r, table, e, total) :
				write_stack(r, table, e, total);
	}
	flt_report_erase_progress(r);
	flt_table_flush(table, true);
	flt_table_free(table);
	if (style.format == FLT_FORMAT_TEXT && !err && shown < rows.count)
		printf("... %zu more stacks; -n 0 lists all\n", rows.count - shown);
	flt_sites_free(&rows);
	return err ? flt_command_fail(r->run->command, NULL, err) : FLT_EXIT_DONE;
}
