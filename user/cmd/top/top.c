// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/top/top.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "observe/accounting.h"
#include "observe/target.h"
#include "text/units.h"

static const char *const view_names[] = { "process", "thread", "file", "cgroup", "kind", NULL };
static const char *const stream_names[] = { "major", "all", "none", NULL };
/* "auto", then the names of enum flt_rank_key. */
static const char *const sort_names[] = { "auto", "pid", "tid", "comm", "minor", "major", "failed",
					  "faults", "p99", "time", "rss", "read", "file", NULL };

#define MEMBER(m) offsetof(struct top_args, m)

static const struct flt_opt opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = MEMBER(pids),
	  .arg = "PID,...", .help = "Show only these processes." },
	FLT_MEMBERS_OPT(struct top_args, cgroup),
	{ .name = "by", .letter = 'v', .type = FLT_OPT_CHOICE, .offset = MEMBER(view),
	  .choices = view_names, .help = "Select the rows shown first." },
	{ .name = "sort", .letter = 's', .type = FLT_OPT_CHOICE, .offset = MEMBER(sort),
	  .choices = sort_names, .help = "Select the first sort column." },
	{ .name = "filter", .letter = 'f', .type = FLT_OPT_STRING, .offset = MEMBER(filter),
	  .arg = "TEXT", .help = "Show only rows with TEXT in a name, or with this pid." },
	{ .name = "files", .type = FLT_OPT_CHOICE, .offset = MEMBER(stream),
	  .choices = stream_names,
	  .help = "Stream major faults, all faults or none, to find their files. Major faults "
		  "are rare; a stream of all faults slows the machine down." },
	{ .name = "batch", .letter = 'b', .type = FLT_OPT_FLAG, .offset = MEMBER(batch),
	  .help = "Print plain text, one report after another, even on a terminal." },
	{ .name = "rows", .letter = 'n', .type = FLT_OPT_U64, .offset = MEMBER(rows), .arg = "N",
	  .help = "Print at most N rows per report in plain text. 0 prints all. Default: 20." },
	FLT_TABLE_OPTS(struct top_args, style),
	{ 0 },
};

static int read_target(struct top *t, const struct flt_words *words)
{
	struct flt_target target = {
		.command = t->command, .pids = &t->args->pids, .cgroup = t->args->cgroup,
		.least = "100ms",
		.counted = "reports", .interval = FLT_NSEC_PER_SEC,
	};
	int status = flt_target_read(&target, words);

	t->interval = target.interval;
	t->count = target.count;
	return status;
}

static int check_args(struct top *t, const struct flt_words *words)
{
	const struct top_args *args = t->args;

	t->view = (enum top_view)args->view;
	if (args->filter && strlen(args->filter) >= sizeof(t->filter))
		return flt_command_misuse(t->command, "invalid filter '%s' (expected at most %zu "
					  "bytes)", args->filter, sizeof(t->filter) - 1);
	if (args->filter)
		strcpy(t->filter, args->filter);
	if (args->stream == TOP_STREAM_NONE && t->view == TOP_FILE)
		return flt_command_misuse(t->command, "--by=file and --files=none exclude each "
					  "other");
	t->sort = args->sort ? (enum flt_rank_key)(args->sort - 1) : top_page_sort(t);
	if (!top_view_has(t, t->sort))
		return flt_command_misuse(t->command, "invalid sort key: --by=%s has no column "
					  "'%s'", top_view_name(t->view), sort_names[args->sort]);
	return read_target(t, words);
}

/* Count from /proc, because the module is not available. Return the exit status. */
static int use_procfs(struct top *t, const struct flt_run *run)
{
	const char *why = flt_errmsg_text(&run->control_message, run->control_error);

	if (t->args->cgroup) {
		flt_command_say(t->command, "cannot show a cgroup: %s", why);
		return flt_exit_of(run->control_error);
	}
	if (t->view == TOP_FILE || t->view == TOP_KIND) {
		flt_command_say(t->command, "cannot show faults by %s: %s", top_view_name(t->view),
				why);
		return flt_exit_of(run->control_error);
	}
	if (!top_page_has(t, t->sort)) {
		flt_command_say(t->command, "cannot sort by '%s': %s", sort_names[t->args->sort],
				why);
		return flt_exit_of(run->control_error);
	}
	flt_command_fall_back(t->command, why, "/proc/PID/stat",
			      "latency, failed faults, files and kinds");
	snprintf(t->notice, sizeof(t->notice), "no flt module: counts from /proc, without latency");
	return 0;
}

int top_start(struct top *t, struct flt_errmsg *e)
{
	struct flt_accounting accounting;
	int ret = 0;

	if (t->control)
		ret = flt_accounting_start(t->control, FLT_ACCOUNTING_ALL, &accounting, e);
	if (!ret && t->control && t->args->stream != TOP_STREAM_NONE) {
		ret = top_files_open(t, e);
		if (ret && t->view != TOP_FILE) {
			snprintf(t->notice, sizeof(t->notice), "no files: %s",
				 flt_errmsg_text(e, ret));
			ret = 0;
		}
	}
	return ret ? ret : top_page_open(t);
}

static int top_main(struct flt_run *run)
{
	struct top t = { .command = run->command, .args = run->args, .control = run->control };
	struct flt_errmsg e = { "" };
	int ret = 0, status;

	setlocale(LC_CTYPE, "");
	t.unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	status = check_args(&t, &run->words);
	if (!status)
		status = flt_target_check_pids(t.command, &t.args->pids);
	if (status)
		return status;
	if (!t.control) {
		status = use_procfs(&t, run);
		if (status)
			return status;
	}
	if (t.args->cgroup)
		ret = flt_members_open(&t.members, t.args->cgroup, &e);
	status = ret ? flt_command_fail(t.command, &e, ret) : top_run(&t);
	top_page_close(&t);
	top_files_close(&t);
	top_snapshot_free(&t);
	flt_members_close(t.members);
	return status;
}

const struct flt_command flt_command_top = {
	.name = "top",
	.summary = "show who faults now: by process, thread, file, cgroup or kind",
	.synopsis = (const char *const[]){ "[options] [INTERVAL [COUNT]]", NULL },
	.about = (const char *const[]){
		"Shows, every second or every INTERVAL (at least 100ms), who faults most: minor "
		"and major faults, the 99th percentile of the latency, the share of time spent in "
		"faults, memory, bytes read from storage, and the file with the most major "
		"faults. Press 'h' for the keys.",
		"Without a terminal, or with --batch, --json or --csv, each report is printed as "
		"plain text or data.",
		"Without the flt module, minor and major faults come from /proc.", NULL },
	.opts = opts,
	.defaults = &(const struct top_args){ .rows = 20 },
	.args_size = sizeof(struct top_args),
	.needs = FLT_USES_MODULE,
	.main = top_main,
};
