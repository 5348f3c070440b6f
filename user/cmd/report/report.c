// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/report/report.h"

#include <inttypes.h>
#include <string.h>

#include "capture/capture.h"
#include "view/table/table.h"

static const char *const by_names[] = { "line", "function", "object", "thread", "vma", "address",
					"stack", "cgroup", NULL };

static const char *const layout_names[] = { "fltrace", NULL };

#define AT(member) offsetof(struct flt_report_args, member)

static const struct flt_opt opts[] = {
	FLT_LOAD_INPUT_OPT(struct flt_report_args, input),
	{ .name = "by", .type = FLT_OPT_CHOICE, .offset = AT(by), .choices = by_names,
	  .help = "Select the rows: the code that faulted (line, function, object, stack), the "
		  "thread, the cgroup or the memory that was touched (vma, address). Default: "
		  "line; with --csv, stack." },
	{ .name = "top", .letter = 'n', .type = FLT_OPT_U64, .offset = AT(top), .arg = "N",
	  .help = "List the N largest rows. 0 lists all. Default: 40; JSON and CSV list all." },
	{ .name = "callees", .letter = 'g', .type = FLT_OPT_FLAG, .offset = AT(callees),
	  .help = "Print a tree from the outermost function to the faulting functions." },
	{ .name = "callers", .type = FLT_OPT_FLAG, .offset = AT(callers),
	  .help = "Print a tree from the faulting function to its callers." },
	{ .name = "min-percent", .type = FLT_OPT_U64, .offset = AT(min_percent), .arg = "N",
	  .max = 100,
	  .help = "Leave branches with less than N percent of the faults out of trees. Default: "
		  "1." },
	{ .name = "diff", .type = FLT_OPT_FILE, .offset = AT(diff), .arg = "FILE",
	  .help = "Compare the recording with FILE, an earlier recording." },
	FLT_CAPTURE_FOR_OPT(struct flt_report_args, duration),
	FLT_LOAD_FILTER_OPTS(struct flt_report_args, filter),
	FLT_SYMBOL_OPTS(struct flt_report_args, symbols),
	FLT_SYMBOL_INTERNALS_OPT(struct flt_report_args, symbols),
	FLT_TABLE_OPTS(struct flt_report_args, style),
	{ .name = "format", .type = FLT_OPT_CHOICE, .offset = AT(layout), .choices = layout_names,
	  .help = "Write a row per stack as CSV for the scripts of another tool (see fltrace in "
		  "the manual)." },
	{ 0 },
};

int flt_report_group(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct flt_report *r = arg;
	const struct flt_fault *picked[FLT_GROUP_BATCH];
	struct flt_group_key keys[FLT_GROUP_BATCH];
	size_t i = 0, count;
	int err;

	flt_load_filter_clock(&r->args->filter, load, &r->filter);
	while (i < n) {
		for (count = 0; i < n && count < FLT_GROUP_BATCH; i++) {
			if (!flt_fault_filter_match(&r->filter, load->rec, &faults[i]))
				continue;
			err = flt_sites_key(r->by, load->rec, &faults[i], &keys[count]);
			if (err)
				return err;
			picked[count++] = &faults[i];
		}
		err = flt_group_add_batch(&r->group, keys, picked, count);
		if (err)
			return err;
	}
	return 0;
}

static void show_symbols(void *arg, const char *object)
{
	struct flt_report *r = arg;

	flt_progress_show(&r->progress, "looking up symbols in %s", object);
}

void flt_report_erase_progress(struct flt_report *r)
{
	flt_progress_erase(&r->progress);
	flt_symbols_watch(r->symbols, NULL, NULL);
}

int flt_report_open(struct flt_report *r, const char *path)
{
	int status, err;

	r->symbols = NULL;
	memset(&r->group, 0, sizeof(r->group));
	/* Rows of data are written while symbols are looked up, rows of text after that. */
	flt_progress_begin(&r->progress, r->args->style.format == FLT_FORMAT_TEXT &&
			   r->args->layout < 0);
	r->load.progress = &r->progress;
	r->load.internals = r->args->symbols.internals;
	r->load.kinds = r->filter.kinds;
	/* A process may be in one of the two recordings only. */
	r->load.pids = r->args->duration || r->args->diff ? NULL : &r->args->filter.pids;
	status = flt_load_file(&r->load, r->run->command, path, flt_report_group, r);
	if (status)
		return status;
	err = flt_symbols_new(&r->symbols, r->load.rec, &r->args->symbols);
	if (err)
		return flt_command_fail(r->run->command, NULL, err);
	flt_symbols_watch(r->symbols, show_symbols, r);
	return FLT_EXIT_DONE;
}

void flt_report_close(struct flt_report *r)
{
	flt_symbols_free(r->symbols);
	flt_group_free(&r->group);
	flt_load_free(&r->load);
	r->symbols = NULL;
}

/* Show the recording at path. Return the exit status. */
static int show(void *arg, const char *path)
{
	struct flt_report *r = arg;
	const struct flt_report_args *args = r->args;
	const char *missing;
	size_t n;
	int status;

	if (args->diff)
		return flt_report_diff(r, path);
	status = flt_report_open(r, path);
	if (!status)
		status = args->callers || args->callees ? flt_report_tree(r) :
			 r->by == FLT_BY_STACK ? flt_report_stacks(r) : flt_report_rows(r);
	if (!status) {
		n = flt_symbols_missing(r->symbols, &missing);
		if (n)
			flt_command_say(r->run->command, "missing symbols of %zu file%s, removed "
					"or changed since the recording: %s%s", n,
					n > 1 ? "s" : "", missing, n > 1 ? ", ..." : "");
		fflush(stdout);
		status = flt_load_verdict(&r->load);
	}
	flt_report_close(r);
	return status;
}

/* Check before the command runs, because its faults would be lost. */
static int check_views(const struct flt_report *r)
{
	const struct flt_report_args *args = r->args;

	if ((args->callers || args->callees) && args->by >= 0)
		return flt_command_misuse(r->run->command, "--by and %s exclude each other",
					  args->callers ? "--callers" : "--callees");
	if ((args->callers || args->callees) && args->style.format == FLT_FORMAT_CSV)
		return flt_command_misuse(r->run->command, "cannot write a tree as CSV (use "
					  "--json)");
	if (args->diff && (r->by == FLT_BY_STACK || r->by == FLT_BY_ADDRESS ||
			   r->by == FLT_BY_VMA))
		return flt_command_misuse(r->run->command, "invalid --by with --diff (expected "
					  "line, function, object, thread or cgroup)");
	return FLT_EXIT_DONE;
}

static int report_main(struct flt_run *run)
{
	const struct flt_report_args *args = run->args;
	struct flt_report r = { .run = run, .args = args };
	const struct flt_capture_input input = {
		.file = args->input, .pids = &args->filter.pids, .duration = args->duration,
		.show = show, .arg = &r,
	};
	int status;

	if (run->words.argc > (args->input ? 0 : 1))
		return flt_command_misuse(run->command, "unexpected argument '%s' (give one "
					  "recording; --diff compares two)",
					  run->words.argv[run->words.argc - 1]);
	if (args->callers + args->callees + !!args->diff > 1)
		return flt_command_misuse(run->command, "--callers, --callees and --diff exclude "
					  "each other");
	if (args->layout >= 0 && (args->by >= 0 || args->style.format != FLT_FORMAT_TEXT ||
				  args->callers || args->callees || args->diff))
		return flt_command_misuse(run->command, "--format excludes --by, --json, --csv, "
					  "--callers, --callees and --diff");
	status = flt_load_filter_parse(run->command, &args->filter, &r.filter);
	if (status)
		return status;
	r.by = args->by >= 0 ? (enum flt_by)args->by :
	       args->style.format == FLT_FORMAT_CSV && !args->diff ? FLT_BY_STACK : FLT_BY_LINE;
	status = check_views(&r);
	if (status)
		return status;
	if (args->callers || args->callees || args->layout >= 0)
		r.by = FLT_BY_STACK;
	return flt_capture_show(run, &input);
}

const struct flt_command flt_command_report = {
	.name = "report",
	.summary = "show the code that caused the recorded faults",
	.synopsis = (const char *const[]){ "[OPTION...] [FILE]", "--diff BEFORE [OPTION...] [FILE]",
					   "[OPTION...] -p PID,... --for TIME",
					   "[OPTION...] -- COMMAND [ARG...]", NULL },
	.about = (const char *const[]){
		"Lists the faults of a recording by the code that caused them, largest first: "
		"share and number of faults, first touches of a page (alloc), touches of an "
		"evicted page (refault), reads and writes if the recording tells them apart, and "
		"the process.",
		"First touches show where memory is taken. Refaults show where missing memory "
		"costs time. The answers often differ; --alloc and --refault select one of them.",
		"Names come from the object files, their debug information or separate debug "
		"files, and perf-PID.map files of just-in-time compilers. Code without a name is "
		"shown as object+offset.",
		"With a command, or with -p and --for, the faults are recorded now, into a file "
		"that is gone afterwards. Use fltctl record for its options, and to keep the "
		"recording.",
		NULL },
	.opts = opts,
	.defaults = &(const struct flt_report_args){ .by = -1, .layout = -1, .top = 40,
						       .min_percent = 1 },
	.args_size = sizeof(struct flt_report_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = report_main,
};
