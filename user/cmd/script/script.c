// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/load.h"
#include "cli/output.h"
#include "cmd/script/script.h"
#include "model/code/symbols.h"
#include "view/table/table.h"

#define AT(member) offsetof(struct flt_script_args, member)

static const struct flt_opt opts[] = {
	FLT_LOAD_INPUT_OPT(struct flt_script_args, input),
	{ .name = "check", .type = FLT_OPT_FLAG, .offset = AT(check),
	  .help = "Validate the file instead: print its contents, the first damaged chunk and "
		  "its offset, and how much can still be read." },
	{ .name = "no-stack", .type = FLT_OPT_FLAG, .offset = AT(no_stack), .help = "Print no "
		  "call stacks." },
	FLT_LOAD_FILTER_OPTS(struct flt_script_args, filter),
	FLT_SYMBOL_FILE_OPTS(struct flt_script_args, symbols),
	FLT_SYMBOL_INTERNALS_OPT(struct flt_script_args, symbols),
	FLT_TABLE_OPTS(struct flt_script_args, style),
	{ 0 },
};

struct row {
	struct flt_fault fault;
	uint64_t since;			/* ns since the start of the recording */
	uint32_t pid;
	const char *comm, *flags, *stack;
};

#define OF(member) FLT_AT(struct row, member)

static const struct flt_column columns[] = {
	{ "time_ns", NULL, 0, FLT_COLUMN_COUNT, OF(fault.time) },
	{ NULL, "TIME", 11, FLT_COLUMN_SECONDS, OF(since), .decimals = 6 },
	{ "pid", "PID", 6, FLT_COLUMN_COUNT, OF(pid), .zero_unknown = true },
	{ "tid", "TID", 6, FLT_COLUMN_COUNT, OF(fault.tid), .spare = 3 },
	{ "comm", "COMM", -15, FLT_COLUMN_STRING, OF(comm) },
	{ "kind", "KIND", -8, FLT_COLUMN_NAME, OF(fault.kind), .name = flt_fault_filter_kind_name },
	{ "flags", "FLAGS", -12, FLT_COLUMN_STRING, OF(flags) },
	{ "latency_ns", "LATENCY", 7, FLT_COLUMN_NS, OF(fault.latency), .zero_unknown = true },
	{ "address", "ADDRESS", 14, FLT_COLUMN_HEX, OF(fault.address) },
	{ "pages", "PAGES", 5, FLT_COLUMN_COUNT, OF(fault.pages), .spare = 2 },
	{ "weight", NULL, 0, FLT_COLUMN_COUNT, OF(fault.weight) },
	{ "cpu", NULL, 0, FLT_COLUMN_COUNT, OF(fault.cpu) },
	{ "ip", "IP", 14, FLT_COLUMN_HEX, OF(fault.ip), .spare = 1 },
	{ "stack", "STACK", -20, FLT_COLUMN_STRING, OF(stack) },
	{ 0 },
};

struct script {
	int unwritten;			/* errno of the first failed write, or 0 */
	const struct flt_script_args *args;
	struct flt_fault_filter filter;
	struct flt_symbols *symbols;
	struct flt_table *table;
	bool headed;
};

static void flags_text(uint32_t flags, char *text, size_t size)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ FLT_FAULT_WRITE, "write" }, { FLT_FAULT_EXEC, "exec" },
		{ FLT_FAULT_ALLOC, "alloc" }, { FLT_FAULT_REFAULT, "refault" },
		{ FLT_FAULT_MAJOR, "major" }, { FLT_FAULT_FAILED, "failed" },
		{ FLT_FAULT_KERNEL, "kernel" }, { FLT_FAULT_REMOTE, "remote" },
		{ FLT_FAULT_INLINE, "inline" }, { FLT_FAULT_CUT_DEPTH, "deeper" },
		{ FLT_FAULT_CUT_UNWIND, "lost" }, { FLT_FAULT_CUT_MEMORY, "unreadable" },
	};
	size_t at = 0, i;

	text[0] = '\0';
	if ((flags & (FLT_FAULT_OP | FLT_FAULT_WRITE | FLT_FAULT_EXEC)) == FLT_FAULT_OP)
		at = (size_t)snprintf(text, size, "read");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (flags & names[i].flag && at < size)
			at += (size_t)snprintf(text + at, size - at, "%s%s", at ? "," : "",
					       names[i].name);
}

/*
 * Return the stack as one line, innermost first: "f (a.c:3) < g (a.c:9) < main (a.c:20)", or
 * NULL without memory. The caller frees the line.
 */
static char *stack_text(struct script *s, struct flt_load *load, const struct flt_fault *f)
{
	uint32_t places[FLT_STACK_DEPTH_MAX + 1];
	const struct flt_frames *frames;
	const struct flt_frame *at;
	size_t n, i, k, size;
	char *text = NULL;
	FILE *out;

	if (flt_recording_place(load->rec, f->image, f->ip, &places[0]))
		return NULL;
	n = 1;
	if (!s->args->no_stack)
		n += flt_recording_stack(load->rec, f->image, f->stack, places + 1, NULL,
					 FLT_STACK_DEPTH_MAX);
	out = open_memstream(&text, &size);
	for (i = 0; out && i < n; i++) {
		frames = flt_symbols_at(s->symbols, places[i]);
		for (k = 0; frames && k < frames->count; k++) {
			at = &frames->frame[k];
			fprintf(out, "%s%s", i || k ? " < " : "", at->function);
			if (at->file)
				fprintf(out, " (%s:%u)", flt_symbols_base(at->file), at->line);
			else if (at->named)
				fprintf(out, " (%s)", flt_symbols_base(frames->object));
		}
	}
	if (!out || fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int fault_row(struct script *s, struct flt_load *load, const struct flt_fault *f)
{
	const struct flt_image *image = flt_recording_image(load->rec, f->image);
	struct row row = { .fault = *f, .pid = image ? image->pid : 0 };
	char flags[160], *stack;
	int err;

	stack = stack_text(s, load, f);
	if (!stack)
		return -ENOMEM;
	flags_text(f->flags, flags, sizeof(flags));
	row.since = f->time > load->head.clock ? f->time - load->head.clock : 0;
	row.comm = flt_recording_comm(load->rec, f->image, f->tid);
	row.flags = flags;
	row.stack = stack;
	err = flt_table_row(s->table, &row, 0);
	free(stack);
	return err;
}

static int on_faults(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct script *s = arg;
	size_t i;
	int err;

	if (!s->symbols) {
		err = flt_symbols_new(&s->symbols, load->rec, &s->args->symbols);
		if (err)
			return err;
	}
	flt_load_filter_clock(&s->args->filter, load, &s->filter);
	for (i = 0; i < n; i++) {
		if (!flt_fault_filter_match(&s->filter, load->rec, &faults[i]))
			continue;
		err = fault_row(s, load, &faults[i]);
		if (err)
			return err;
		if (ferror(stdout))
			break;
	}
	flt_table_flush(s->table, !s->headed);
	s->headed = true;
	return output_failed(stdout, &s->unwritten) ? -EPIPE : 0;
}

static int script_main(struct flt_run *run)
{
	const struct flt_script_args *args = run->args;
	const char *path = flt_load_path(run, args->input);
	struct script s = { .args = args };
	struct flt_progress progress;
	struct flt_load load = { .progress = &progress, .internals = args->symbols.internals };
	int status, err;

	if (run->words.command)
		return flt_command_misuse(run->command, "unexpected command '%s': script runs no "
					  "command", run->words.command[0]);
	if (run->words.argc > (args->input ? 0 : 1))
		return flt_command_misuse(run->command, "unexpected argument '%s' (give one "
					  "recording)", run->words.argv[run->words.argc - 1]);
	if (args->check)
		return flt_script_check(run->command, path, &args->style);
	status = flt_load_filter_parse(run->command, &args->filter, &s.filter);
	if (status)
		return status;
	load.kinds = s.filter.kinds;
	load.pids = &args->filter.pids;
	err = flt_table_new(&s.table, stdout, &args->style, columns, 0);
	if (err)
		return flt_command_fail(run->command, NULL, err);
	flt_progress_begin(&progress, false);
	status = flt_load_file(&load, run->command, path, on_faults, &s);
	flt_table_free(s.table);
	if (s.unwritten)
		flt_command_say(run->command, "cannot write to standard output: %s",
				strerror(s.unwritten));
	if (!status) {
		fflush(stdout);
		status = flt_load_verdict(&load);
	}
	flt_symbols_free(s.symbols);
	flt_load_free(&load);
	return status;
}

const struct flt_command flt_command_script = {
	.name = "script",
	.summary = "print recorded faults one by one, or check the file",
	.synopsis = (const char *const[]){ "[OPTION...] [FILE]", "--check [FILE]", NULL },
	.about = (const char *const[]){
		"Prints one line per fault of a recording: seconds since its beginning, process "
		"and thread, kind and flags, duration, the touched address, the pages brought "
		"in, the instruction and the call stack with the innermost function first. "
		"Fields that the recording does not have are left out.",
		"Faults are in order of time within a chunk of the file (about a second), not in "
		"the whole file. Sort by the time in nanoseconds in JSON and CSV.",
		"With --check, no fault is printed. Every chunk is verified, the counts are "
		"compared with the counts at the end of the recording, and the first damage is "
		"printed with its offset.",
		NULL },
	.opts = opts,
	.args_size = sizeof(struct flt_script_args),
	.main = script_main,
};
