// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/lat/lat.h"

#include <errno.h>
#include <stdlib.h>

#include "observe/accounting.h"
#include "observe/target.h"

static const char *const by_names[] = { "process", "cgroup", NULL };

#define MEMBER(m) offsetof(struct lat_args, m)

static const struct flt_opt opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = MEMBER(pids),
	  .arg = "PID,...",
	  .help = "Show only these processes, since their first fault. End when all have ended." },
	FLT_MEMBERS_OPT(struct lat_args, cgroup),
	{ .name = "by", .type = FLT_OPT_CHOICE, .offset = MEMBER(by), .choices = by_names,
	  .help = "Select the rows of processes: one per process of -p, --cgroup or a command, or "
		  "one per cgroup, also of the whole machine." },
	{ .name = "each", .letter = 'e', .type = FLT_OPT_FLAG, .offset = MEMBER(each),
	  .help = "Print a histogram for each row." },
	{ .name = "no-histogram", .letter = 'H', .type = FLT_OPT_FLAG, .offset = MEMBER(plain),
	  .help = "Print only percentiles." },
	{ .name = "why", .type = FLT_OPT_FLAG, .offset = MEMBER(why),
	  .help = "Show what faults spend their time on: waits for a device, for swap or for a "
		  "CPU, reclaim, compaction, copying. Needs an interval or a command." },
	{ .name = "plot", .type = FLT_OPT_FILE, .offset = MEMBER(plot), .arg = "FILE",
	  .help = "With --why, draw that by latency, for a browser (SVG)." },
	{ .name = "slowest", .letter = 'n', .type = FLT_OPT_U64, .offset = MEMBER(slowest),
	  .arg = "N", .max = 1000, .help = "List the N slowest faults. Default: 8." },
	{ .name = "slower", .letter = 'l', .type = FLT_OPT_DURATION, .offset = MEMBER(slower),
	  .arg = "TIME", .help = "With an interval or a command, look for the slowest faults "
	  "among all faults that take at least TIME. 0 uses only the faults that the module "
	  "keeps. Default: 1ms." },
	OUTPUT_OPT(struct lat_args, output),
	FLT_TABLE_OPTS(struct lat_args, style),
	{ 0 },
};

static int check_args(struct lat *l, const struct flt_words *words)
{
	const struct lat_args *args = l->args;
	struct flt_target t = {
		.command = l->command, .pids = &args->pids, .cgroup = args->cgroup,
		.takes_command = true,
		.least = "10ms", .counted = "reports",
	};
	int status;

	if (args->each && args->plain)
		return flt_command_misuse(l->command, "--each and --no-histogram exclude each "
					  "other");
	status = flt_target_read(&t, words);
	l->interval = t.interval;
	l->count = t.count;
	if (!status && args->why && !l->interval && !words->command)
		return flt_command_misuse(l->command, "missing INTERVAL or command for --why, "
					  "because causes are measured from now on");
	if (!status && args->why && l->interval && l->count == 1 && !words->command)
		return flt_command_misuse(l->command, "invalid COUNT '1' for --why: the causes of "
					  "an interval come with the second report (use 2)");
	if (!status && args->plot && !args->why)
		return flt_command_misuse(l->command, "--plot needs --why");
	return status;
}

static int start_causes(struct lat *l, struct flt_errmsg *e)
{
	int ret = flt_causes_start(&l->causes, l->command, l->control, e);

	if (!ret && l->causes.switched && (l->args->pids.count || l->args->cgroup))
		flt_command_say(l->command, FLT_CAUSES_SWITCHED);
	return ret;
}

/* The module keeps histograms of the machine, not of PID namespaces. */
static int require_machine(struct lat *l, struct flt_errmsg *e)
{
	struct flt_info info;
	int ret = flt_control_info(l->control, &info, e);

	if (ret || !info.inner)
		return ret;
	return flt_errmsg_set(e, -EOPNOTSUPP, "cannot show the latencies of the machine in a PID "
			      "namespace; give -p PID,..., --cgroup DIR or a command");
}

static int lat_main(struct flt_run *run)
{
	struct lat l = { .command = run->command, .args = run->args, .control = run->control };
	struct flt_accounting accounting = { 0 };
	struct flt_errmsg e = { "" };
	int ret, status;

	status = check_args(&l, &run->words);
	if (status)
		return status;
	if (!run->control)
		return flt_command_fail(run->command, &run->control_message, run->control_error);
	ret = l.args->pids.count || l.args->cgroup || run->words.command ? 0 :
	      require_machine(&l, &e);
	if (!ret && l.args->cgroup)
		ret = flt_members_open(&l.members, l.args->cgroup, &e);
	if (!ret && l.args->by == LAT_BY_CGROUP)
		ret = flt_cgroups_open(&l.cgroups, l.control, &e);
	if (!ret && l.args->why)
		ret = start_causes(&l, &e);
	if (!ret)
		ret = flt_accounting_start(l.control, l.interval || run->words.command ?
					   FLT_ACCOUNTING_ALL : FLT_ACCOUNTING_PAST,
					   &accounting, &e);
	l.since = accounting.since;
	if (!ret && accounting.partial && !run->words.command)
		flt_command_say(run->command, FLT_ACCOUNTING_PARTIAL);
	if (!ret) {
		status = output_redirect(&l.redirect, l.command, l.args->output);
		if (status)
			goto out;
	}
	if (!ret)
		ret = lat_slowest_open(&l);
	if (!ret)
		ret = lat_report_open(&l);
	if (!ret && (l.args->pids.count || l.args->cgroup) && !l.interval)
		flt_command_say(run->command, "latencies by kind and by result are not kept for "
				"the past; give an INTERVAL to count them from now on");
	status = ret ? flt_command_fail(l.command, &e, ret) : lat_run(&l, run->words.command);
out:
	e = (struct flt_errmsg){ "" };
	ret = flt_causes_end(&l.causes, &e);
	if (ret)
		status = flt_command_fail(l.command, &e, ret);
	lat_report_close(&l);
	lat_slowest_close(&l);
	lat_snapshot_free(l.last);
	flt_members_close(l.members);
	flt_cgroups_close(l.cgroups);
	free(l.bound);
	return output_restore(&l.redirect, l.command, status);
}

const struct flt_command flt_command_lat = {
	.name = "lat",
	.summary = "show how long faults take: histogram and percentiles, by kind and result",
	.synopsis = (const char *const[]){
		"[options] [-p PID,... | --cgroup DIR] [INTERVAL [COUNT]]",
		"[options] [INTERVAL] -- COMMAND [ARGUMENT...]", NULL },
	.about = (const char *const[]){
		"Shows how long faults took: of the whole machine, of some processes, or of a "
		"command and its children. There is a histogram of all faults; mean, percentiles "
		"and maximum of all faults, by kind and by the value that handle_mm_fault() "
		"returned; and the slowest faults as examples.",
		"A fault counts once, from its first attempt to its last, waiting included. "
		"Without an interval, there is one report of all faults since accounting began. "
		"With an interval, at least 10ms, the first report is the same, and each further "
		"report covers its interval. Counters come from the accounts that the flt module "
		"keeps anyway, and for a command, or for processes with an interval, from "
		"histograms that it keeps meanwhile. Only slow faults are streamed, as examples "
		"of an interval or a command.",
		"With --by=cgroup, there is a row per cgroup with the name of the container or "
		"service. A process counts in its cgroup, or in its last one. Processes that "
		"ended long ago, whose counts the module has added up, are in no such row.",
		"With a command, the report follows when the command ends. The exit status is "
		"the command's.", NULL },
	.opts = opts,
	.defaults = &(const struct lat_args){ .slowest = 8, .slower = 1000000 },
	.args_size = sizeof(struct lat_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = lat_main,
};
