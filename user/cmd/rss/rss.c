// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/capture.h"
#include "cmd/rss/rss.h"
#include "observe/target.h"
#include "source/proc/cgroup.h"
#include "source/proc/procfs.h"

/* Return addresses that are kept of each stack. */
#define DEPTH 128

static const char *const by_names[] = { "line", "function", "object", "vma", "thread", "stack",
					"cgroup", NULL };
/* By enum flt_capture_engine. */
static const char *const engines[] = { "auto", "module", "perf", NULL };

#define AT(member) offsetof(struct rss_args, member)

#define PICTURE(word, which, text) \
	{ .name = word, .type = FLT_OPT_SET, .offset = AT(picture), .value = which, .help = text }

static const struct flt_opt opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = AT(pids), .arg = "PID,...",
	  .help = "Observe running processes and their children." },
	{ .name = "cgroup", .letter = 'G', .type = FLT_OPT_FILE, .offset = AT(cgroup), .arg = "DIR",
	  .help = "Observe the processes that are in this cgroup or below now, and their children. "
		  "DIR is in cgroup2, e.g. /sys/fs/cgroup/system.slice." },
	{ .name = "at", .type = FLT_OPT_STRING, .offset = AT(at), .arg = "WHEN,...",
	  .help = "Select the moments: exit (of the command or of the first process), peak "
		  "(the most memory seen), a time since the start such as 5s, or every=TIME. "
		  "Default: exit." },
	{ .name = "by", .type = FLT_OPT_CHOICE, .offset = AT(by), .choices = by_names,
	  .help = "Select the rows: the code whose fault brought the pages in (line, function, "
		  "object, stack), the thread, the mapping (vma) or the cgroup. Default: line." },
	{ .name = "diff", .type = FLT_OPT_FLAG, .offset = AT(diff),
	  .help = "Compare the last moment with the first one. Largest growth first." },
	{ .name = "top", .letter = 'n', .type = FLT_OPT_U64, .offset = AT(top), .arg = "N",
	  .help = "List the N largest rows. 0 lists all. Default: 40; JSON and CSV list all." },
	PICTURE("svg", RSS_PICTURE_SVG, "Write a flame graph of the last moment."),
	PICTURE("html", RSS_PICTURE_HTML, "Write a page with the flame graph and the largest rows "
					  "of the last moment."),
	PICTURE("folded", RSS_PICTURE_FOLDED, "Write stacks as text, one line per stack with its "
					      "pages."),
	PICTURE("speedscope", RSS_PICTURE_SPEEDSCOPE, "Write input of speedscope.app."),
	PICTURE("pprof", RSS_PICTURE_PPROF, "Write a compressed protocol buffer for pprof."),
	{ .name = "output", .letter = 'o', .type = FLT_OPT_FILE, .offset = AT(output),
	  .arg = "FILE",
	  .help = "Write the picture to FILE; - is standard output. Default: rss.svg, rss.html, "
		  "rss.folded, rss.speedscope.json or rss.pb.gz." },
	{ .name = "engine", .type = FLT_OPT_CHOICE, .offset = AT(engine),
	  .choices = engines,
	  .help = "Observe faults by the module or by perf events. Default: auto." },
	{ .name = "unwind", .type = FLT_OPT_CHOICE, .offset = AT(unwind),
	  .choices = flt_unwind_by_names,
	  .help = "Find callers by frame pointers (fp) or by unwind tables (dwarf), see "
		  "fltctl-record(8)." },
	{ .name = "memory", .type = FLT_OPT_SIZE, .offset = AT(memory), .arg = "SIZE",
	  .help = "Limit the memory for the pages of all moments, 24 bytes each. Default: 1GiB.",
	  .min = 24, .max = 1ull << 40 },
	FLT_SYMBOL_OPTS(struct rss_args, symbols),
	FLT_TABLE_OPTS(struct rss_args, style),
	{ 0 },
};

/* Write what the moments show. Return the exit status. */
static int show(struct rss_joined *j)
{
	const struct rss_args *args = j->run->args;
	int status, lost;

	status = args->picture ? rss_picture_write(j) : rss_table_write(j);
	fflush(stdout);
	if (j->late && !status)
		flt_command_say(j->run->command, "unknown includes all that was resident before "
				"the recording, because a process ran already");
	if (status)
		return status;
	status = rss_absent_verdict(j);
	lost = flt_load_verdict(&j->load);
	return status ? status : lost;
}

static int join_and_show(struct flt_run *run, struct rss_taker *taker, int fd)
{
	const struct rss_args *args = run->args;
	struct rss_joined j = { .run = run };
	int status, verdict;
	char path[32];

	j.moments = rss_taker_moments(taker, &j.count);
	verdict = rss_taker_verdict(taker);
	/* The verdict said why. */
	if (!j.count)
		return FLT_EXIT_INCOMPLETE;
	if (args->diff && j.count < 2) {
		flt_command_say(run->command, "cannot compare two moments: only '%s' was taken",
				j.moments[0].label);
		return FLT_EXIT_INCOMPLETE;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = rss_join(&j, path);
	if (!status)
		status = show(&j);
	rss_joined_free(&j);
	return status ? status : verdict;
}

static int observe(struct flt_run *run, const struct flt_ids *pids, const struct rss_whens *whens)
{
	const struct rss_args *args = run->args;
	struct flt_capture_setup setup = {
		.pids = *pids, .engine = (enum flt_capture_engine)args->engine,
		.unwind = (enum flt_unwind_by)args->unwind,
		.max_stack = DEPTH, .quiet = true, .explain = true,
	};
	struct rss_taker *taker;
	int status, shown, fd = -1;

	status = rss_taker_new(&taker, run, pids, whens);
	if (status) {
		rss_taker_free(taker);
		return flt_command_fail(run->command, NULL, status);
	}
	setup.watch = rss_taker_watch(taker);
	status = flt_capture(run, &setup, &fd);
	shown = fd < 0 ? status : join_and_show(run, taker, fd);
	if (fd >= 0)
		close(fd);
	rss_taker_free(taker);
	return status ? status : shown;
}

/*
 * Drop children that have ended, which the module would refuse, and those that are more than a
 * session takes. Their later children are observed in any case. named: the processes of -p. Return
 * FLT_EXIT_DONE or FLT_EXIT_INCOMPLETE.
 */
static int drop_children(const struct flt_run *run, struct flt_family *family, size_t named)
{
	const struct rss_args *args = run->args;
	const bool by_module = run->control && args->engine != FLT_CAPTURE_PERF;
	size_t i, kept = named, dropped = 0;

	for (i = named; i < family->count; i++) {
		if (flt_procfs_ends(family->pid[i]))
			continue;
		if (by_module && kept >= FLT_SESSION_TGIDS_MAX)
			dropped++;
		else
			family->pid[kept++] = family->pid[i];
	}
	family->count = kept;
	if (!dropped)
		return FLT_EXIT_DONE;
	flt_command_say(run->command, "incomplete: %zu children are missing, because a session "
			"takes %d processes (use --engine=perf)", dropped, FLT_SESSION_TGIDS_MAX);
	return FLT_EXIT_INCOMPLETE;
}

/* Observe processes and the children that they have already. */
static int observe_pids(struct flt_run *run, const struct rss_whens *whens)
{
	const struct flt_ids *pids = &((const struct rss_args *)run->args)->pids;
	struct flt_family family = { 0 };
	size_t i, named;
	int status = 0, complete = FLT_EXIT_DONE;

	for (i = 0; !status && i < pids->count; i++)
		status = flt_family_add(&family, pids->id[i]);
	named = family.count;
	if (!status)
		status = flt_family_descend(&family);
	if (!status)
		complete = drop_children(run, &family, named);
	status = status ? flt_command_fail(run->command, NULL, status) :
		 observe(run, &(struct flt_ids){ family.pid, family.count }, whens);
	flt_family_free(&family);
	return status ? status : complete;
}

static int observe_cgroup(struct flt_run *run, const struct rss_whens *whens)
{
	const struct rss_args *args = run->args;
	struct flt_ids pids = { 0 };
	struct flt_errmsg e = { "" };
	int status = flt_cgroup_members(args->cgroup, &pids.id, &pids.count, &e);

	status = status ? flt_command_fail(run->command, &e, status) : observe(run, &pids, whens);
	free(pids.id);
	return status;
}

static int rss_main(struct flt_run *run)
{
	const struct rss_args *args = run->args;
	const char *at = args->at ? args->at : run->words.argc ? run->words.argv[0] : "exit";
	struct rss_whens whens = { .count = 0 };
	struct flt_errmsg e = { "" };
	int err, status;

	if (!run->words.command && !args->pids.count && !args->cgroup)
		return flt_command_misuse(run->command, "missing target: give -p PID, --cgroup DIR "
					  "or '-- COMMAND'");
	if (!!run->words.command + !!args->pids.count + !!args->cgroup > 1)
		return flt_command_misuse(run->command, "-p, --cgroup and a command exclude each "
					  "other");
	if (run->words.argc > (args->at || run->words.command ? 0 : 1))
		return flt_command_misuse(run->command, "unexpected argument '%s' (put a command "
					  "after '--')",
					  run->words.argv[run->words.argc - 1]);
	err = rss_whens_parse(&whens, at, &e);
	if (err)
		return flt_command_misuse(run->command, "%s", flt_errmsg_text(&e, err));
	if (args->diff && args->picture)
		return flt_command_misuse(run->command, "--diff excludes pictures");
	if (args->diff && whens.count < 2 && !rss_whens_have(&whens, RSS_EVERY))
		return flt_command_misuse(run->command, "--diff needs two moments, such as "
					  "--at=1s,exit");
	if (args->picture && args->style.format != FLT_FORMAT_TEXT)
		return flt_command_misuse(run->command, "pictures exclude --json and --csv");
	if (args->output && !args->picture)
		return flt_command_misuse(run->command, "-o needs --svg, --html, --folded, "
					  "--speedscope or --pprof");
	if (args->cgroup)
		return observe_cgroup(run, &whens);
	status = flt_target_check_pids(run->command, &args->pids);
	/* Without PIDs: the command. */
	return status ? status : observe_pids(run, &whens);
}

const struct flt_command flt_command_rss = {
	.name = "rss",
	.summary = "show which code brought the resident memory in, exact to the page",
	.synopsis = (const char *const[]){ "[OPTION...] -- COMMAND [ARG...]",
					   "[OPTION...] -p PID,... [WHEN,...]",
					   "[OPTION...] --cgroup DIR [WHEN,...]", NULL },
	.about = (const char *const[]){
		"Lists every page that is resident at a moment by the code whose fault brought it "
		"in. A heap profiler shows requested memory; rss shows resident memory, whoever "
		"asked for it: heap, stacks, files, shared memory.",
		"The rows add up to Rss of /proc/PID/smaps at that moment, to the page, and so do "
		"anonymous, file and shmem, private and shared, and huge pages. Swapped pages are "
		"counted apart, and belong to the code that brought them in before. Pages "
		"without a fault that was seen form the row unknown.",
		"A child has the pages of its parent until one of them writes: such pages belong "
		"to the parent's code. Pages mapped by one fault belong to that fault.",
		"The processes are stopped by ptrace while a moment is taken. They go on if fltctl "
		"ends, however it ends.",
		NULL },
	.opts = opts,
	.defaults = &(const struct rss_args){ .top = 40, .memory = 1ull << 30 },
	.args_size = sizeof(struct rss_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = rss_main,
};
