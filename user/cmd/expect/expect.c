// SPDX-License-Identifier: GPL-2.0-or-later
/* expect.c - compare the faults of a command with a budget. */
#include "cmd/expect/expect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "timeline/setup.h"

static const char *const layout_names[] = { "tap", "junit", NULL };
static const char *const engine_names[] = { "auto", "module", "perf", NULL };

static const struct expect_args defaults = {
	.layout = EXPECT_ROWS, .unwind = -1, .max_stack = 256, .rows = 5, .runs = 5, .slack = 10,
};

#define OF(member) offsetof(struct expect_args, member)

static const struct flt_opt opts[] = {
	{ .name = "rule", .letter = 'e', .type = FLT_OPT_LIST, .offset = OF(rules), .arg = "RULE",
	  .help = "Add a rule. May be given several times, also without BUDGET." },
	{ .name = "format", .type = FLT_OPT_CHOICE, .offset = OF(layout), .choices = layout_names,
	  .help = "Write the results for a CI system: as TAP version 13 or as JUnit XML." },
	{ .name = "rows", .letter = 'n', .type = FLT_OPT_U64, .offset = OF(rows), .arg = "N",
	  .help = "List at most N stacks of faults past the limit of a rule. 0 lists all. "
		  "Default: 5." },
	{ .name = "user", .type = FLT_OPT_FLAG, .offset = OF(user),
	  .help = "Count faults in user mode only. Without CAP_PERFMON no others are visible." },
	{ .name = "unwind", .type = FLT_OPT_CHOICE, .offset = OF(unwind),
	  .choices = flt_unwind_by_names,
	  .help = "Find callers by frame pointers or by unwind tables (dwarf). Default: dwarf if a "
		  "rule names a function, else fp." },
	{ .name = "max-stack", .type = FLT_OPT_U64, .offset = OF(max_stack), .arg = "N", .min = 1,
	  .max = FLT_TIMELINE_DEPTH - 1,
	  .help = "Keep at most N callers of a fault. Default: 256." },
	{ .name = "buffer", .letter = 'b', .type = FLT_OPT_SIZE, .offset = OF(subbuf_size),
	  .arg = "SIZE", .min = 4096, .max = 1 << 20, .power_of_two = true,
	  .help = "Size of a sub-buffer of the module. Default: 512KiB, or 1MiB with "
		  "--unwind=dwarf." },
	{ .name = "buffers", .letter = 'B', .type = FLT_OPT_U64, .offset = OF(subbufs), .arg = "N",
	  .min = 2, .max = 64, .help = "Number of sub-buffers of the module per "
		  "CPU. Default: 8, or 16 with --unwind=dwarf." },
	{ .name = "engine", .type = FLT_OPT_CHOICE, .offset = OF(engine), .choices = engine_names,
	  .help = "Observe faults by the module or by perf events. Default: auto, the module if it "
		  "is loaded." },
	{ .name = "update", .type = FLT_OPT_FLAG, .offset = OF(update),
	  .help = "Run the command several times, write the largest counts plus slack as limits "
		  "into BUDGET, and report the counts that varied." },
	{ .name = "runs", .type = FLT_OPT_U64, .offset = OF(runs), .arg = "N", .min = 1,
	  .max = 10000, .help = "Number of runs of --update. Default: 5." },
	{ .name = "slack", .type = FLT_OPT_U64, .offset = OF(slack), .arg = "PERCENT",
	  .max = 1000, .help = "Slack of --update. Default: 10 percent of the largest count, "
			       "rounded up." },
	{ .name = "root", .type = FLT_OPT_FILE, .offset = OF(symbols.root), .arg = "DIR",
	  .help = "Look for programs and libraries under DIR." },
	OUTPUT_OPT(struct expect_args, output),
	FLT_TABLE_OPTS(struct expect_args, style),
	{ 0 },
};

/* Read a file. Report errors. Return the exit status. */
static int read_text(const struct flt_command *command, const char *path, char **text,
		     size_t *length)
{
	FILE *in = fopen(path, "re");
	size_t room = 0, n;
	char *more;
	int error;

	*length = 0;
	*text = NULL;
	if (!in) {
		flt_command_say(command, "cannot read %s: %s (give a budget: one rule per line)",
				path, strerror(errno));
		return FLT_EXIT_USAGE;
	}
	do {
		if (*length == room) {
			room = room ? room * 2 : 4096;
			more = realloc(*text, room);
			if (!more)
				break;
			*text = more;
		}
		n = fread(*text + *length, 1, room - *length, in);
		*length += n;
	} while (n);
	error = errno;
	n = !feof(in);
	fclose(in);
	if (!n)
		return FLT_EXIT_DONE;
	flt_command_say(command, "cannot read %s: %s (give a budget: one rule per line)", path,
			strerror(error));
	free(*text);
	*text = NULL;
	return FLT_EXIT_USAGE;
}

int expect_read(struct flt_run *run, const char *path, struct flt_budget *budget, char **text,
		size_t *length)
{
	const struct expect_args *args = run->args;
	struct flt_errmsg e = { "" };
	int err = 0, status = 0;
	size_t i, before;

	*text = NULL;
	*length = 0;
	if (path)
		status = read_text(run->command, path, text, length);
	if (status)
		return status;
	if (path)
		err = flt_budget_parse(budget, *text, *length, path, 1, &e);
	for (i = 0; !err && i < args->rules.count; i++) {
		before = budget->count;
		err = flt_budget_parse(budget, args->rules.text[i], strlen(args->rules.text[i]),
				       "-e", (uint32_t)i + 1, &e);
		/* Such as -e "$RULE" without RULE: nothing would be checked. */
		if (!err && budget->count == before)
			return flt_command_misuse(run->command, "missing rule: -e:%zu is empty "
						  "(give a rule, such as 'major == 0')", i + 1);
	}
	if (err == -EINVAL) {
		flt_command_say(run->command, "%s", e.text);
		return FLT_EXIT_USAGE;
	}
	return err ? flt_command_fail(run->command, NULL, err) : FLT_EXIT_DONE;
}

static int write_results(struct expect_run *r, const struct expect_result *results)
{
	const struct flt_command *command = r->run->command;
	const char *path = r->args->output;
	FILE *out;
	int err, error = 0, status = output_open(&out, command, path);

	if (status)
		return status;
	if (r->args->layout == EXPECT_TAP)
		err = expect_tap(r, results, out);
	else if (r->args->layout == EXPECT_JUNIT)
		err = expect_junit(r, results, out);
	else
		err = expect_report(r, results, out);
	output_failed(out, &error);
	status = err ? flt_command_fail(command, NULL, err) : FLT_EXIT_DONE;
	return output_close(out, command, path, error, status);
}

static int status_of(const struct expect_run *r, const struct expect_result *results)
{
	int status = FLT_EXIT_DONE;
	size_t i;

	/* The command may have ended because its output could not be passed on. */
	if (r->marks.relay.err)
		return FLT_EXIT_FAILED;
	if (r->command_status)
		return r->command_status;
	for (i = 0; i < r->budget->count; i++) {
		if (results[i].verdict == FLT_BUDGET_BROKEN)
			return EXPECT_EXIT_BROKEN;
		if (results[i].verdict == FLT_BUDGET_UNMEASURED)
			status = FLT_EXIT_UNSUPPORTED;
	}
	return status;
}

/* Without a recording, no rule is measured. The results say so: those of an earlier run go. */
static int judge_nothing(struct expect_run *r, struct expect_result **results)
{
	size_t i;

	r->unobserved = true;
	*results = calloc(r->budget->count + 1, sizeof(**results));
	for (i = 0; *results && i < r->budget->count; i++)
		(*results)[i] = (struct expect_result){
			.rule = &r->budget->rules[i], .verdict = FLT_BUDGET_UNMEASURED,
			.why = "the command was not observed",
		};
	return *results ? 0 : -ENOMEM;
}

static int judge(struct flt_run *run, const struct flt_budget *budget)
{
	struct expect_result *results = NULL;
	struct expect_run r;
	int status = expect_run(&r, run, run->args, budget), written;
	int err = status ? judge_nothing(&r, &results) : expect_judge(&r, &results);

	written = err ? flt_command_fail(run->command, NULL, err) : write_results(&r, results);
	if (!status)
		status = written ? written : status_of(&r, results);
	expect_results_free(results, budget->count);
	expect_run_free(&r);
	return status;
}

static int check_args(const struct flt_run *run)
{
	const struct expect_args *args = run->args;

	if (run->words.argc > 1)
		return flt_command_misuse(run->command, "unexpected argument '%s' (put a command "
					  "after '--')", run->words.argv[1]);
	if (!run->words.argc && !args->rules.count)
		return flt_command_misuse(run->command, "missing budget: give a file, or rules "
					  "with -e");
	if (!run->words.command)
		return flt_command_misuse(run->command, "missing command: put it after '--'");
	if (args->layout != EXPECT_ROWS && args->style.format != FLT_FORMAT_TEXT)
		return flt_command_misuse(run->command, "--format excludes --json and --csv");
	if (args->update && (!run->words.argc || args->rules.count))
		return flt_command_misuse(run->command, "--update needs a file, and excludes -e");
	if (args->update && args->layout != EXPECT_ROWS)
		return flt_command_misuse(run->command, "--update excludes --format");
	return FLT_EXIT_DONE;
}

static int expect_main(struct flt_run *run)
{
	const struct expect_args *args = run->args;
	const char *path = run->words.argc ? run->words.argv[0] : NULL;
	struct flt_budget budget = { 0 };
	size_t length;
	char *text;
	int status = check_args(run);

	if (status)
		return status;
	/* A run may take long. */
	status = output_check(run->command, args->output);
	if (status)
		return status;
	if (args->update)
		return expect_update(run, args, path);
	status = expect_read(run, path, &budget, &text, &length);
	if (!status && !budget.count)
		status = flt_command_misuse(run->command, "missing rules: %s has none (add one, "
					    "such as 'major == 0')", path);
	if (!status)
		status = judge(run, &budget);
	flt_budget_free(&budget);
	free(text);
	return status;
}

/* Print the exit statuses that other commands do not have. */
static void manual(FILE *out)
{
	fputs(".SH VERDICTS\n"
	      "The exit status is 0 if all rules are kept, 6 if a rule is broken, and 5 if no rule "
	      "is broken but a rule cannot be measured here. If the command ends with another "
	      "status than 0, its status is passed on, and the results are written as well.\n",
	      out);
}

const struct flt_command flt_command_expect = {
	.name = "expect",
	.summary = "compare the faults of a command with a budget, for continuous integration",
	.synopsis = (const char *const[]){ "[OPTION...] BUDGET -- COMMAND [ARG...]",
					   "[OPTION...] -e RULE... -- COMMAND [ARG...]",
					   "--update [OPTION...] BUDGET -- COMMAND [ARG...]",
					   NULL },
	.about = (const char *const[]){
		"Runs a command, counts its page faults and compares the counts with the rules of "
		"a budget, such as 'major == 0' or 'minor(process_batch) == 0 after mark "
		"\"ready\"'. Rules that are broken come first, with the stacks and lines of the "
		"faults past the limit. A rule is COUNTER [(SELECTOR, ...)] OPERATOR LIMIT "
		"[after MARK] [before MARK]; fltctl-expect(8) explains the parts.",
		"Faults are counted by the module, or without it by perf events, which have no "
		"kinds. A rule is never kept because data is missing: if faults were lost, a mark "
		"never came, or a name in a rule is unknown, the rule counts as not measured.",
		NULL },
	.opts = opts,
	.defaults = &defaults,
	.args_size = sizeof(struct expect_args),
	.needs = FLT_USES_MODULE,
	.exits = (const struct flt_exit_note[]){
		{ EXPECT_EXIT_BROKEN, "a rule of the budget is broken" }, { 0 },
	},
	.manual = manual,
	.passes_status = true,
	.main = expect_main,
};
