// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/export/export.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/netlink/control.h"
#include "source/proc/cgroup_tree.h"
#include "text/units.h"

#define MEMBER(member) offsetof(struct export_args, member)

static const char *const bys[] = { "machine", "cgroup", NULL };

static const struct flt_opt opts[] = {
	{ .name = "listen", .letter = 'l', .type = FLT_OPT_STRING, .offset = MEMBER(listen),
	  .arg = "[ADDR]:PORT", .help = "Serve HTTP at this numeric address. Without ADDR: "
		  "127.0.0.1. Default: 127.0.0.1:9886." },
	{ .name = "textfile", .letter = 'o', .type = FLT_OPT_FILE, .offset = MEMBER(textfile),
	  .arg = "FILE", .help = "Write FILE for the textfile collector of node_exporter, in place "
		  "of HTTP: once, or every INTERVAL, at least 1s. FILE is replaced as a whole." },
	{ .name = "by", .type = FLT_OPT_CHOICE, .offset = MEMBER(by), .choices = bys,
	  .help = "Count faults of the machine alone, or also of each cgroup. Default: machine." },
	{ .name = "thp", .type = FLT_OPT_FLAG, .offset = MEMBER(ledger[EXPORT_THP]),
	  .help = "Also count huge pages." },
	{ .name = "numa", .type = FLT_OPT_FLAG, .offset = MEMBER(ledger[EXPORT_NUMA]),
	  .help = "Also count NUMA balancing." },
	{ .name = "wss", .type = FLT_OPT_LIST, .offset = MEMBER(wss), .arg = "DIR",
	  .help = "Also measure the working set of the processes in this cgroup and below, a "
		  "directory of cgroup2. Up to 8 times." },
	{ .name = "window", .type = FLT_OPT_DURATION, .offset = MEMBER(window), .arg = "TIME",
	  .help = "Measure working sets over this time. Default: 10s.",
	  .min = FLT_NSEC_PER_SEC, .max = 3600 * FLT_NSEC_PER_SEC },
	{ .name = "counts", .type = FLT_OPT_FLAG, .offset = MEMBER(counts),
	  .help = "Leave out latencies, so that the module need not probe the end of faults." },
	{ .name = "quarters", .type = FLT_OPT_FLAG, .offset = MEMBER(quarters),
	  .help = "Divide histograms of latencies into quarters of octaves, not octaves (from 2^n "
		  "to 2^(n+1) ns)." },
	{ .name = "max-series", .type = FLT_OPT_U64, .offset = MEMBER(max_series), .arg = "N",
	  .help = "Write at most N series. Default: 10000.", .min = 1000, .max = 1000000 },
	{ 0 },
};

/* Return true if two of the directories are one, because no series may come twice. */
static bool twice(const struct flt_list *list, const char **again)
{
	char a[PATH_MAX], b[PATH_MAX];
	bool exists;
	size_t i, k;

	for (i = 0; i < list->count; i++) {
		*again = list->text[i];
		exists = realpath(*again, a);
		for (k = 0; k < i; k++)
			if (!strcmp(list->text[k], *again) ||
			    (exists && realpath(list->text[k], b) && !strcmp(a, b)))
				return true;
	}
	return false;
}

static int check_args(const struct flt_run *run, uint64_t *interval)
{
	const struct export_args *args = run->args;
	struct flt_errmsg e = { "" };
	const char *again;
	int ret;

	if (args->listen && args->textfile)
		return flt_command_misuse(run->command, "--listen and --textfile exclude each "
					  "other");
	ret = args->listen ? export_listen_check(args->listen, &e) : 0;
	if (ret)
		return flt_command_misuse(run->command, "%s", flt_errmsg_text(&e, ret));
	if (args->counts && args->quarters)
		return flt_command_misuse(run->command, "--counts and --quarters exclude each "
					  "other");
	if (run->words.command || run->words.argc > (args->textfile ? 1 : 0))
		return flt_command_misuse(run->command, "unexpected argument '%s'",
					  run->words.command ? run->words.command[0] :
					  run->words.argv[args->textfile ? 1 : 0]);
	if (run->words.argc &&
	    (flt_units_read_duration(run->words.argv[0], FLT_NSEC_PER_SEC, interval) ||
	     *interval < FLT_NSEC_PER_SEC))
		return flt_command_misuse(run->command, "invalid interval '%s' (give 1s or more)",
					  run->words.argv[0]);
	if (args->wss.count > EXPORT_WSS_MAX)
		return flt_command_misuse(run->command, "%zu cgroups of --wss are too many (at "
					  "most %d)", args->wss.count, EXPORT_WSS_MAX);
	if (twice(&args->wss, &again))
		return flt_command_misuse(run->command, "--wss %s names a cgroup that was named "
					  "before", again);
	if (args->wss.count && args->textfile && !*interval)
		return flt_command_misuse(run->command, "--wss with --textfile needs an interval: "
					  "a working set is measured over a time");
	return FLT_EXIT_DONE;
}

/* Tell the user about cgroups that do not exist: services that do not run, or mistakes. */
static void mention_missing(const struct flt_run *run)
{
	const struct export_args *args = run->args;
	size_t i;

	for (i = 0; i < args->wss.count; i++)
		if (access(args->wss.text[i], F_OK))
			flt_command_say(run->command, "missing cgroup %s: it is measured from the "
					"time when it is made", args->wss.text[i]);
}

/* Prepare what the options ask for. Return 0 or -errno. */
static int prepare(struct export *x, struct flt_errmsg *e)
{
	const bool by_cgroup = x->args->by == EXPORT_BY_CGROUP;
	int ret = 0;

	if (by_cgroup || x->args->wss.count)
		ret = flt_cgroup_tree_new(&x->cgroups, e);
	if (!ret && by_cgroup)
		ret = flt_groups_new(&x->groups, export_room(x->args));
	if (!ret && x->args->wss.count)
		ret = export_wsets_new(x);
	return ret ? ret : export_open(x, e);
}

static int export_main(struct flt_run *run)
{
	const struct export_args *args = run->args;
	struct flt_errmsg e = { "" };
	uint64_t interval = 0;
	struct export *x;
	int ret, status = check_args(run, &interval);

	if (status)
		return status;
	if (!run->control)
		return flt_command_fail(run->command, &run->control_message, run->control_error);
	x = calloc(1, sizeof(*x));
	if (!x)
		return flt_command_fail(run->command, NULL, -ENOMEM);
	x->command = run->command;
	x->args = args;
	/* The connection is replaced when the module is loaded again. */
	x->control = run->control;
	run->control = NULL;
	mention_missing(run);
	ret = prepare(x, &e);
	if (ret)
		status = flt_command_fail(run->command, &e, ret);
	else
		status = args->textfile ? export_textfile(x, interval) : export_serve(x);
	flt_control_close(x->control);
	export_wsets_free(x);
	flt_groups_free(x->groups);
	flt_cgroup_tree_free(x->cgroups);
	free(x);
	return status;
}

const struct flt_command flt_command_export = {
	.name = "export",
	.summary = "serve the counters to Prometheus, or write them for node_exporter",
	.synopsis = (const char *const[]){
		"[options] [--listen=[ADDR]:PORT]",
		"[options] --textfile=FILE [INTERVAL]", NULL },
	.about = (const char *const[]){
		"Answers GET /metrics with the counters of the flt module until it is interrupted. "
		"A client that accepts OpenMetrics 1.0 gets that format; others get the text "
		"format 0.0.4 of Prometheus.",
		"The module counts while the command runs. Counters never decrease while the "
		"command runs, even if processes end or the module is loaded again.", NULL },
	.opts = opts,
	.defaults = &(const struct export_args){ .max_series = 10000,
						  .window = 10 * FLT_NSEC_PER_SEC },
	.args_size = sizeof(struct export_args),
	.needs = FLT_USES_MODULE,
	.main = export_main,
};
