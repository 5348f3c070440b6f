// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/wss/wss.h"

#include <errno.h>
#include <stdlib.h>

#include "observe/target.h"
#include "source/proc/cgroup.h"
#include "source/proc/softdirty.h"
#include "text/units.h"
#include "timeline/timeline.h"

static const char *const method_names[] = {
	"auto", "scan", "inject", "fault", "refs", "idle", "damon", NULL,
};
const struct wss_method *const wss_methods[] = {
	&wss_method_scan, &wss_method_inject, &wss_method_fault, &wss_method_refs,
	&wss_method_idle, &wss_method_damon, NULL,
};
static const char *const by_names[] = { "process", "vma", "kind", "node", "cgroup", NULL };

#define MEMBER(m) offsetof(struct wss_args, m)

static const struct flt_opt opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = MEMBER(pids),
	  .arg = "PID,...", .help = "Watch these processes. End when all of them have ended." },
	{ .name = "cgroup", .letter = 'G', .type = FLT_OPT_FILE, .offset = MEMBER(cgroup),
	  .arg = "DIR",
	  .help = "Watch the processes of this cgroup and below, as they come and go: a "
		  "directory of cgroup2, e.g. /sys/fs/cgroup/system.slice." },
	{ .name = "follow", .letter = 'f', .type = FLT_OPT_FLAG, .offset = MEMBER(follow),
	  .help = "Also watch children that the processes of -p fork from now on (not with "
		  "damon)." },
	{ .name = "method", .letter = 'm', .type = FLT_OPT_CHOICE, .offset = MEMBER(method),
	  .choices = method_names,
	  .help = "Select the method, see METHODS. auto is scan with the flt module, else refs." },
	{ .name = "compare", .type = FLT_OPT_FLAG, .offset = MEMBER(compare),
	  .help = "Compare all methods that this machine supports, one after another, COUNT "
		  "windows each (default 3), summed over all processes." },
	{ .name = "cumulative", .letter = 'C', .type = FLT_OPT_FLAG, .offset = MEMBER(cumulative),
	  .help = "Use windows that all begin now and end later and later (refs and idle)." },
	{ .name = "profile", .letter = 'P', .type = FLT_OPT_U64, .offset = MEMBER(profile),
	  .arg = "STEPS", .min = 1, .max = 16,
	  .help = "Use STEPS windows, each twice as long as the window before, beginning with "
		  "INTERVAL." },
	{ .name = "by", .type = FLT_OPT_CHOICE, .offset = MEMBER(by), .choices = by_names,
	  .help = "Select the rows: a process, a mapping (refs), a kind of mapping, a NUMA node "
		  "(scan and inject), or a cgroup with the name of its container or service." },
	{ .name = "written", .letter = 'W', .type = FLT_OPT_FLAG, .offset = MEMBER(written),
	  .help = "Also measure written pages by the kernel's soft-dirty bits. This costs one "
		  "fault per written page." },
	{ .name = "budget", .letter = 'b', .type = FLT_OPT_U64, .offset = MEMBER(budget),
	  .arg = "PERCENT", .min = 1, .max = 100,
	  .help = "Use at most PERCENT of one CPU for scanning (scan and inject). Windows become "
		  "longer if necessary. Default: 2." },
	{ .name = "plot", .type = FLT_OPT_FILE, .offset = MEMBER(plot),
	  .arg = "FILE.svg", .help = "Draw working set, RSS and faults over time as SVG." },
	OUTPUT_OPT(struct wss_args, output),
	FLT_TABLE_OPTS(struct wss_args, style),
	{ 0 },
};

static int read_target(struct wss *w, const struct flt_words *words)
{
	const struct wss_args *args = w->args;
	struct flt_target t = {
		.command = w->command, .pids = &args->pids, .cgroup = args->cgroup,
		.follow = args->follow, .takes_command = true,
		.missing = "-p PID, --cgroup DIR or '-- COMMAND'",
		.least = "10ms", .most = "1h", .counted = "windows",
		.interval = FLT_NSEC_PER_SEC, .count = words->command || words->argc ? 0 : 1,
	};
	int status = flt_target_read(&t, words);

	w->interval = t.interval;
	w->count = t.count;
	return status;
}

static int check_args(struct wss *w, const struct flt_words *words)
{
	const struct wss_args *args = w->args;
	int status = read_target(w, words);

	if (status)
		return status;
	if (args->compare + args->cumulative + (args->profile > 0) > 1)
		return flt_command_misuse(w->command, "--compare, --cumulative and --profile "
					  "exclude each other");
	if (args->compare && args->method)
		return flt_command_misuse(w->command, "--compare and --method exclude each other "
					  "(--compare uses all methods)");
	if (args->compare && args->by)
		return flt_command_misuse(w->command, "--compare and --by exclude each other "
					  "(--compare adds up all processes)");
	if (args->compare && args->plot)
		return flt_command_misuse(w->command, "--compare and --plot exclude each other (a "
					  "plot shows one method)");
	if (args->profile && words->argc > 1)
		return flt_command_misuse(w->command, "--profile and COUNT exclude each other (a "
					  "profile has one window per length)");
	return FLT_EXIT_DONE;
}

/* Check the cgroup and soft-dirty bits now, so that an error comes before the first window. */
static int check_sources(struct wss *w)
{
	struct flt_errmsg e = { "" };
	uint64_t id;
	int ret = 0;

	if (w->args->cgroup)
		ret = flt_cgroup_id(w->args->cgroup, &id, &e);
	if (ret == -EINVAL)
		return flt_command_misuse(w->command, "%s", flt_errmsg_text(&e, ret));
	if (!ret && w->args->written)
		ret = flt_softdirty_available(&e);
	if (!ret)
		ret = wss_cgroups_open(w, &e);
	return ret ? flt_command_fail(w->command, &e, ret) : 0;
}

/* Choose the method, and check that it supports the options and this machine. */
static int choose_method(struct wss *w, const struct flt_run *run, const struct wss_method **out)
{
	const struct wss_args *args = w->args;
	const struct wss_method *m = args->method ? wss_methods[args->method - 1] : NULL;
	bool refs = args->cumulative || args->by == WSS_BY_VMA, scans;
	struct flt_errmsg why = { "" };
	int ret;

	if (!m) {
		ret = refs ? -ENOENT : wss_method_scan.available(w, &why);
		if (ret && !refs)
			flt_command_fall_back(w->command, flt_errmsg_text(&why, ret),
					      "clear_refs and smaps", NULL);
		/* Say so, because a user who loaded the module expects the figures of a scan. */
		if (refs && w->control)
			flt_command_fall_back(w->command, args->cumulative ?
					      "the flt module does not support --cumulative" :
					      "the flt module does not support mappings, only "
					      "kinds of mappings (--by=kind)",
					      "clear_refs and smaps", NULL);
		m = ret ? &wss_method_refs : &wss_method_scan;
	}
	if (args->cumulative && m != &wss_method_refs && m != &wss_method_idle)
		return flt_command_misuse(w->command, "--cumulative needs --method=refs or idle "
					  "(other methods start anew in every window)");
	if (args->by == WSS_BY_VMA && m != &wss_method_refs)
		return flt_command_misuse(w->command, "--by=vma needs --method=refs");
	scans = m == &wss_method_scan || m == &wss_method_inject;
	if (args->by == WSS_BY_KIND && m != &wss_method_refs && !scans)
		return flt_command_misuse(w->command,
					  "--by=kind needs --method=scan, inject or refs");
	if (args->by == WSS_BY_NODE && !scans)
		return flt_command_misuse(w->command, "--by=node needs --method=scan or inject");
	if (args->budget && !scans)
		return flt_command_misuse(w->command, "--budget needs --method=scan or inject (%s "
					  "has no limit)", m->name);
	if (args->follow && m->alone)
		return flt_command_misuse(w->command, "--follow and --method=%s exclude each other "
					  "(%s watches one process at a time)", m->name, m->name);
	ret = m->available(w, &why);
	if (ret)
		return flt_command_fail(w->command, &why, ret);
	if (m->alone && run->words.command)
		flt_command_say(w->command, "%s watches one process at a time: only the process of "
				"the command, without its children", m->name);
	*out = m;
	return 0;
}

static void plan_comparison(struct wss *w)
{
	struct flt_errmsg why;
	size_t i;

	for (i = 0; wss_methods[i]; i++) {
		why = (struct flt_errmsg){ "" };
		if (wss_methods[i]->available(w, &why))
			flt_command_say(w->command, "without %s: %s", wss_methods[i]->name,
					flt_errmsg_text(&why, -EOPNOTSUPP));
		else
			w->step[w->steps++] = (struct wss_step){
				.method = wss_methods[i], .ticks = 1,
				.windows = w->count ? w->count : 3,
			};
	}
}

/*
 * Make the steps of the run. The tick divides a window into up to ten parts of at least 100 ms,
 * so that the samples of a tracker are shown soon after the module has taken them.
 */
static int plan(struct wss *w, const struct flt_run *run)
{
	const struct wss_method *m = NULL;
	uint64_t i, parts;
	size_t k;
	int status;

	if (w->args->compare) {
		plan_comparison(w);
	} else {
		status = choose_method(w, run, &m);
		if (status)
			return status;
		w->steps = 1;
		w->step[0] = (struct wss_step){ .method = m, .ticks = 1, .windows = w->count };
		for (i = 0; i < w->args->profile; i++)
			w->step[i] = (struct wss_step){
				.method = m, .ticks = 1ull << i, .windows = 1,
			};
		if (w->args->profile)
			w->steps = w->args->profile;
	}
	parts = w->interval / (100 * FLT_NSEC_PER_MSEC);
	parts = parts < 1 ? 1 : parts > 10 ? 10 : parts;
	w->tick = w->interval / parts;
	for (k = 0; k < w->steps; k++)
		w->step[k].ticks *= parts;
	return 0;
}

static int wss_main(struct flt_run *run)
{
	struct wss w = {
		.command = run->command, .args = run->args, .control = run->control,
		.control_message = run->control_message, .control_error = run->control_error,
		.page = flt_timeline_page_size(),
	};
	int status;

	status = check_args(&w, &run->words);
	if (!status)
		status = check_sources(&w);
	if (!status)
		status = plan(&w, run);
	if (!status)
		status = output_redirect(&w.redirect, w.command, w.args->output);
	if (!status)
		status = wss_run(&w, run->words.command);
	wss_rows_close(&w);
	wss_cgroups_close(&w);
	flt_samples_free(&w.all);
	flt_sample_areas_free(&w.areas);
	free(w.taken);
	free(w.target);
	return output_restore(&w.redirect, w.command, status);
}

const struct flt_command flt_command_wss = {
	.name = "wss",
	.summary = "measure the working set: the memory really used, window by window",
	.synopsis = (const char *const[]){
		"[options] -p PID,... [INTERVAL [COUNT]]",
		"[options] --cgroup=DIR [INTERVAL [COUNT]]",
		"[options] [INTERVAL [COUNT]] -- COMMAND [ARGUMENT...]", NULL },
	.about = (const char *const[]){
		"Shows how many bytes of memory a process used in a window of time, by a named "
		"method, beside RSS and PSS. Without an interval, there is one window of one "
		"second. An interval is 10ms to 1h. The last lines are quantiles over all "
		"windows, a curve, and the amount of memory that would have been enough.",
		"With a command, the command and its children are watched until the command "
		"ends. The exit status is the command's. With refs and idle, a child is watched "
		"from the end of the window in which it was born. With damon, only the command's "
		"own process is watched.",
		"Without the flt module, /proc/PID/clear_refs and smaps are used. They also "
		"clear the information that reclaim has about the process.", NULL },
	.opts = opts,
	.args_size = sizeof(struct wss_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = wss_main,
};
