// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/numa/numa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/proc/machine.h"

static int compare_hints(const void *a, const void *b)
{
	const struct flt_ledger_line *x = *(const struct flt_ledger_line *const *)a;
	const struct flt_ledger_line *y = *(const struct flt_ledger_line *const *)b;
	uint64_t n = x->n.count[FLT_NUMA_HINTS], m = y->n.count[FLT_NUMA_HINTS];

	return n != m ? (n > m ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

/* Read the regions of the live processes with the most hint faults. */
static void sample(void *arg, const struct flt_ledger *now)
{
	const struct flt_ledger_line **live = calloc(now->count + 1, sizeof(const void *));
	struct numa *n = arg;
	const bool named = n->run.args->pids.count;
	size_t i, count = 0;

	for (i = 0; live && i < now->count; i++)
		if (!now->line[i].ended && (named || !flt_ledger_idle(&now->line[i])))
			live[count++] = &now->line[i];
	if (count)
		qsort(live, count, sizeof(*live), compare_hints);
	for (i = 0; i < count && i < NUMA_PROCESSES; i++)
		numa_memory_read(n, live[i]);
	if (count > i && count - i > n->unseen)
		n->unseen = count - i;
	free(live);
}

static void say_balancing_off(const struct flt_command *command)
{
	int64_t balancing;

	if (flt_node_count() == 1)
		flt_command_say(command, "this machine has only one NUMA node, so nothing is "
					 "balanced");
	else if (flt_machine_number("/proc/sys/kernel/numa_balancing", &balancing))
		flt_command_say(command, "this kernel has no NUMA balancing: only migrations for "
				"other reasons can be shown");
	else if (!balancing)
		flt_command_say(command, "NUMA balancing is off: only migrations for other reasons "
				"can be shown (sysctl kernel.numa_balancing=1)");
}

static int numa_main(struct flt_run *run)
{
	static const char *const hooks[] = { "numa-", NULL };
	const struct flt_ledger_run_args *args = run->args;
	struct numa *n = calloc(1, sizeof(*n));
	int ret, status;
	uint32_t i;

	if (!n)
		return flt_command_fail(run->command, NULL, -ENOMEM);
	n->run = (struct flt_ledger_run){
		.command = run->command, .args = args, .control = run->control,
		.which = FLT_LEDGER_OF_NUMA, .event = "hint faults", .counter = FLT_NUMA_HINTS,
		.hooks = hooks, .report = numa_report,
		.sample = args->all ? NULL : sample, .arg = n,
	};
	/* MR_NUMA_MISPLACED, in case tracefs does not have the names. */
	n->misplaced = 5;
	flt_trace_names("migrate/mm_migrate_pages", "reason", n->reason[0], FLT_MOVE_REASONS,
			NUMA_REASON_NAME);
	for (i = 0; i < FLT_MOVE_REASONS; i++)
		if (!strcmp(n->reason[i], "numa_misplaced"))
			n->misplaced = i;
	status = flt_ledger_run_check(&n->run, run);
	if (status)
		goto out;
	ret = numa_report_open(n);
	if (ret) {
		status = flt_command_fail(run->command, NULL, ret);
	} else {
		say_balancing_off(run->command);
		status = flt_ledger_run(&n->run, run->words.command);
		if (n->unseen) {
			flt_command_say(run->command, "incomplete: regions of up to %zu processes "
					"are missing, because only the %d processes with the most "
					"hint faults are read", n->unseen, NUMA_PROCESSES);
			status = status ? status : FLT_EXIT_INCOMPLETE;
		}
	}
out:
	status = output_restore(&n->run.redirect, run->command, status);
	flt_table_free(n->run.table);
	free(n);
	return status;
}

const struct flt_command flt_command_numa = {
	.name = "numa",
	.summary = "show NUMA balancing: local and remote faults, migrations, cost and gain",
	.synopsis = (const char *const[]){
		"[options] [-a | -p PID,...] [INTERVAL [COUNT]]",
		"[options] [INTERVAL] -- COMMAND [ARGUMENT...]", NULL },
	.about = (const char *const[]){
		"Counts exactly, from now on, what NUMA balancing does to each process: hint "
		"faults on local and remote memory and between which nodes; pages migrated, "
		"pages not migrated, and the time; threads moved to their memory; and page "
		"migrations for other reasons. Hooks are placed in the kernel while the command "
		"runs.",
		"With an interval, at least 10ms, there is one report per interval. The last "
		"report covers the whole time, with the node matrix, the regions on other nodes, "
		"and a verdict. The run ends with Ctrl-C, after COUNT reports, or with the "
		"processes of -p. With a command, counts the command and its children; the exit "
		"status is the command's.", NULL },
	.opts = flt_ledger_run_opts,
	.args_size = sizeof(struct flt_ledger_run_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = numa_main,
};
