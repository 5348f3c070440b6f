// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/thp/thp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Maximum number of smaps read per sample. The next sample continues after the last process. */
#define COVER_ROUND 32

const struct flt_coverage *thp_coverage(const struct thp *t, uint64_t id)
{
	size_t i;

	for (i = 0; i < t->covers; i++)
		if (t->cover[i].id == id)
			return &t->cover[i].now;
	return NULL;
}

/* Return the place for the coverage of a process, a new one if necessary, or NULL. */
static struct flt_coverage *get_place(struct thp *t, uint64_t id)
{
	struct thp_cover *grown;
	size_t i;

	for (i = 0; i < t->covers; i++)
		if (t->cover[i].id == id)
			return &t->cover[i].now;
	grown = reallocarray(t->cover, t->covers + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	t->cover = grown;
	t->cover[t->covers] = (struct thp_cover){ .id = id };
	return &t->cover[t->covers++].now;
}

/*
 * Read the coverage of processes while they live, because smaps disappears with the process. The
 * report shows the last coverage that was read.
 */
static void sample(void *arg, const struct flt_ledger *now)
{
	struct thp *t = arg;
	const bool named = t->run.args->pids.count;
	struct flt_coverage c, *kept;
	size_t i, read = 0;

	for (i = 0; i < now->count && read < COVER_ROUND; i++) {
		const struct flt_ledger_line *line = &now->line[t->next++ % now->count];

		if (line->ended || (!named && flt_ledger_idle(line)))
			continue;
		read++;
		if (flt_coverage_read(line->tgid, &c) || (!c.eligible && !c.huge))
			continue;
		kept = get_place(t, line->id);
		if (kept)
			*kept = c;
	}
}

static int thp_main(struct flt_run *run)
{
	static const char *const hooks[] = { "thp-", "split-", "collapse", NULL };
	const struct flt_ledger_run_args *args = run->args;
	struct thp *t = calloc(1, sizeof(*t));
	int ret, status;

	if (!t)
		return flt_command_fail(run->command, NULL, -ENOMEM);
	t->run = (struct flt_ledger_run){
		.command = run->command, .args = args, .control = run->control,
		.which = FLT_LEDGER_OF_THP, .event = "huge faults", .counter = FLT_THP_FILLED,
		.hooks = hooks, .report = thp_report,
		.sample = args->all ? NULL : sample, .arg = t,
	};
	flt_trace_names("huge_memory/mm_khugepaged_scan_pmd", "status", t->scan[0],
			FLT_SCAN_RESULTS, THP_SCAN_NAME);
	status = flt_ledger_run_check(&t->run, run);
	if (status)
		goto out;
	ret = thp_report_open(t);
	if (ret) {
		status = flt_command_fail(run->command, NULL, ret);
	} else {
		if (access("/sys/kernel/mm/transparent_hugepage", F_OK))
			flt_command_say(run->command, "this kernel has no transparent huge pages");
		else if (thp_machine_off())
			flt_command_say(run->command, "huge pages are off (never): only existing "
					"huge pages can be shown (echo madvise > "
					"/sys/kernel/mm/transparent_hugepage/enabled)");
		thp_machine_begin(&t->before);
		status = flt_ledger_run(&t->run, run->words.command);
	}
out:
	status = output_restore(&t->run.redirect, run->command, status);
	flt_table_free(t->run.table);
	free(t->cover);
	free(t);
	return status;
}

const struct flt_command flt_command_thp = {
	.name = "thp",
	.summary = "show huge pages: who gets them, who does not and why, and whether they pay",
	.synopsis = (const char *const[]){
		"[options] [-a | -p PID,...] [INTERVAL [COUNT]]",
		"[options] [INTERVAL] -- COMMAND [ARGUMENT...]", NULL },
	.about = (const char *const[]){
		"Counts exactly, from now on, what happens to transparent huge pages: faults "
		"that got a huge page or fell back, collapses by khugepaged and the reasons of "
		"refused collapses, and splits, each charged to the process concerned. Hooks are "
		"placed in the kernel while the command runs.",
		"With an interval, at least 10ms, there is one report per interval. The last "
		"report covers the whole time, with reasons, the kernel's settings and a verdict. "
		"The run ends with Ctrl-C, after COUNT reports, or with the processes of -p. With "
		"a command, counts the command and its children; the exit status is the "
		"command's.", NULL },
	.opts = flt_ledger_run_opts,
	.args_size = sizeof(struct flt_ledger_run_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = thp_main,
};
