// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "observe/accounting.h"
#include "observe/target.h"

static const char *const by_names[] = { "process", "thread", "kind", "cgroup", NULL };
static const char *const source_names[] = { "auto", "module", "kernel", NULL };

#define MEMBER(m) offsetof(struct stats_args, m)

static const struct flt_opt opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = MEMBER(pids),
	  .arg = "PID,...", .help = "Show only these processes. End when all of them have ended." },
	FLT_MEMBERS_OPT(struct stats_args, cgroup),
	{ .name = "all", .letter = 'a', .type = FLT_OPT_FLAG, .offset = MEMBER(all),
	  .help = "Show the whole machine in one row." },
	{ .name = "threads", .letter = 't', .type = FLT_OPT_FLAG, .offset = MEMBER(threads),
	  .help = "Show one row per thread of the processes of -p, like --by=thread." },
	{ .name = "by", .type = FLT_OPT_CHOICE, .offset = MEMBER(by), .choices = by_names,
	  .help = "Select the rows." },
	{ .name = "kinds", .letter = 'k', .type = FLT_OPT_FLAG, .offset = MEMBER(kinds),
	  .help = "Also count faults by kind: anon, file, cow, swap and so on." },
	{ .name = "top", .letter = 'n', .type = FLT_OPT_U64, .offset = MEMBER(top), .arg = "N",
	  .help = "In the text, list the N rows with the most faults and the sum of the others. "
		  "0 lists all. Default: 20 in the summary of a command, else 0." },
	{ .name = "output", .letter = 'o', .type = FLT_OPT_FILE, .offset = MEMBER(output),
	  .arg = "FILE", .help = "Write to FILE instead of standard output." },
	{ .name = "source", .type = FLT_OPT_CHOICE, .offset = MEMBER(source),
	  .choices = source_names,
	  .help = "Take counts from the flt module, from the kernel's own counters, or from the "
		  "first that is available." },
	FLT_CORRELATION_OPTS(struct stats_args, with, "plot"),
	FLT_TABLE_OPTS(struct stats_args, style),
	{ 0 },
};

static int check_args(struct stats *s, const struct flt_words *words)
{
	const struct stats_args *args = s->args;
	struct flt_target t = {
		.command = s->command, .pids = &args->pids, .all = args->all,
		.cgroup = args->cgroup,
		.takes_command = true, .least = "10ms", .counted = "reports",
	};
	int status;

	s->by = (enum stats_by)args->by;
	if (args->threads) {
		if (s->by == STATS_BY_KIND)
			return flt_command_misuse(s->command, "--threads and --by=kind exclude "
						  "each other");
		s->by = STATS_BY_THREAD;
	}
	status = flt_target_read(&t, words);
	if (status)
		return status;
	if (s->by == STATS_BY_CGROUP && args->pids.count)
		return flt_command_misuse(s->command, "-p and --by=cgroup exclude each other");
	if (s->by == STATS_BY_CGROUP && words->command)
		return flt_command_misuse(s->command, "a command and --by=cgroup exclude each "
					  "other");
	if (s->by == STATS_BY_THREAD && !args->pids.count)
		return flt_command_misuse(s->command, "rows per thread need -p");
	if (args->all && s->by == STATS_BY_PROCESS)
		s->by = STATS_BY_MACHINE;
	s->interval = t.interval;
	s->count = t.count;
	return FLT_EXIT_DONE;
}

/* Choose the source, and report what the kernel's own counters lack. Return the exit status. */
static int choose_source(struct stats *s, const struct flt_run *run)
{
	const struct stats_args *args = s->args;
	const struct flt_errmsg why = run->control_message;
	const int err = run->control_error;

	if (args->source != STATS_SOURCE_KERNEL)
		s->control = run->control;
	if (s->control)
		return 0;
	if (args->source == STATS_SOURCE_MODULE || args->cgroup || s->by == STATS_BY_CGROUP)
		return flt_command_fail(s->command, &why, err);
	if (args->kinds || s->by == STATS_BY_KIND) {
		flt_command_say(s->command, "cannot count kinds of faults without the flt "
				"module%s%s", err ? ": " : "",
				err ? flt_errmsg_text(&why, err) : "");
		return err ? flt_exit_of(err) : FLT_EXIT_UNSUPPORTED;
	}
	if (args->source == STATS_SOURCE_AUTO)
		flt_command_fall_back(s->command, flt_errmsg_text(&why, err),
				      run->words.command ? "wait4() and perf events" :
				      s->by == STATS_BY_MACHINE ? "/proc/vmstat" : "/proc/PID/stat",
				      "failed faults, retries, kinds and latency");
	return 0;
}

static int begin_accounting(struct stats *s, bool command, struct flt_errmsg *e)
{
	struct flt_accounting accounting;
	const bool once = !s->interval && !command;
	int ret = flt_accounting_start(s->control, once ? FLT_ACCOUNTING_PAST : FLT_ACCOUNTING_ALL,
				       &accounting, e);

	if (ret)
		return ret;
	s->since = accounting.since;
	if (once && accounting.partial)
		flt_command_say(s->command, FLT_ACCOUNTING_PARTIAL);
	/* A command is counted from its start in any case. */
	if (accounting.started && !command)
		flt_command_say(s->command, "accounting was off; counting from now on");
	return 0;
}

static int stats_main(struct flt_run *run)
{
	struct stats s = { .command = run->command, .args = run->args };
	struct flt_errmsg e = { "" };
	int status, ret = 0;

	status = check_args(&s, &run->words);
	if (!status)
		status = flt_correlation_new(&s.with, s.command, &s.args->with,
					     run->words.command, &s.args->style, NULL);
	if (!status)
		status = choose_source(&s, run);
	if (!status)
		status = output_open(&s.out, s.command, s.args->output);
	if (status) {
		flt_correlation_free(s.with);
		return status;
	}
	if (s.control)
		ret = begin_accounting(&s, run->words.command != NULL, &e);
	if (!ret)
		ret = stats_report_open(&s, s.control && (s.args->kinds || run->words.command));
	if (!ret)
		ret = stats_bind(&s, &e);
	if (!ret && s.args->cgroup)
		ret = flt_members_open(&s.members, s.args->cgroup, &e);
	if (!ret)
		ret = stats_cgroups_open(&s, &e);
	if (ret)
		status = flt_command_fail(s.command, &e, ret);
	else
		status = run->words.command ? stats_run(&s, run->words.command) : stats_watch(&s);
	stats_report_close(&s);
	stats_snapshot_free(&s.last);
	free(s.bound);
	stats_cgroups_close(&s);
	flt_members_close(s.members);
	flt_correlation_free(s.with);
	return output_close(s.out, s.command, s.args->output, s.unwritten, status);
}

const struct flt_command flt_command_stats = {
	.name = "stats",
	.summary = "count faults: minor, major, failed, retried, per second and in total",
	.synopsis = (const char *const[]){
		"[options] [-a | -p PID,...] [INTERVAL [COUNT]]",
		"[options] [INTERVAL] -- COMMAND [ARGUMENT...]", NULL },
	.about = (const char *const[]){
		"Counts page faults per process, sorted by number of faults. Without an interval, "
		"there is one report of all faults since accounting began. With an interval, at "
		"least 10ms, the first report is the same, and each further report covers its "
		"interval and lists only processes that faulted. Ctrl-C ends with the totals.",
		"With a command, counts all faults of the command and its children, and prints a "
		"summary at the end. The exit status is the command's; 128 + N if signal N ended "
		"the command, 127 if the command was not found, and 126 if it could not be run.",
		"With --by=cgroup, there is one row per cgroup, with the name of the container or "
		"service, and with the change of pgfault and pgmajfault in memory.stat, which "
		"the kernel counts. A process counts in its cgroup, or in its last one.",
		"The module keeps the rows of max_procs ended processes. Those of the command that "
		"ended earlier are summed up by name: one row without a PID per name, whose "
		"record is \"retired\" in JSON and CSV, with the number of processes.",
		"--with correlates the command's own progress with its faults: is the command "
		"slower when it faults more? Samples are taken every tenth of a second (less "
		"often in a long run).",
		"Without the flt module, or without permission to use it, minor and major faults "
		"come from the kernel's own counters. A message on standard error says what is "
		"missing.", NULL },
	.opts = opts,
	.defaults = &(const struct stats_args){ .top = STATS_TOP_UNSET },
	.args_size = sizeof(struct stats_args),
	.manual = stats_columns_manual,
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = stats_main,
};
