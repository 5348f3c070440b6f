// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/lat/lat.h"

#include <errno.h>
#include <stdlib.h>

#include "text/clock.h"
#include "source/proc/machine.h"
#include "text/units.h"

#define MEMBER(m) offsetof(struct lat_args, m)

static const struct flt_opt opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = MEMBER(pids), .arg = "PID,...",
	  .help = "Only these processes, since each began to fault; ends when all have ended." },
	{ .name = "each", .letter = 'e', .type = FLT_OPT_FLAG, .offset = MEMBER(each),
	  .help = "A histogram for each row, too." },
	{ .name = "no-histogram", .letter = 'H', .type = FLT_OPT_FLAG, .offset = MEMBER(plain),
	  .help = "Percentiles only." },
	{ .name = "slowest", .letter = 'n', .type = FLT_OPT_U64, .offset = MEMBER(slowest),
	  .arg = "N", .max = 1000, .help = "How many of the slowest faults to list. Default 8." },
	{ .name = "slower", .letter = 'l', .type = FLT_OPT_DURATION, .offset = MEMBER(slower),
	  .arg = "TIME", .help = "In intervals and with a command, look for the slowest among all "
	  "that take at least as long; 0 looks among those only that the module keeps. "
	  "Default 1ms." },
	FLT_TABLE_OPTS(struct lat_args, format),
	{ 0 },
};

static int read_words(struct lat *l, const struct flt_words *words)
{
	if (words->argc > 0) {
		if (flt_units_read_duration(words->argv[0], FLT_NSEC_PER_SEC, &l->interval))
			return flt_command_misuse(l->command,
						  "'%s' is no interval; a command to run stands "
						  "behind '--'", words->argv[0]);
		if (l->interval < 10 * FLT_NSEC_PER_MSEC)
			return flt_command_misuse(l->command, "an interval is at least 10ms");
	}
	if (words->argc > 1 && (flt_units_read_u64(words->argv[1], &l->count) || !l->count))
		return flt_command_misuse(l->command, "'%s' is no number of reports",
					  words->argv[1]);
	if (words->argc > 2)
		return flt_command_misuse(l->command, "'%s': there is nothing behind the count",
					  words->argv[2]);
	return 0;
}

static int check_args(struct lat *l, const struct flt_words *words)
{
	const struct lat_args *args = l->args;

	if (words->command && args->pids.count)
		return flt_command_misuse(l->command, "-p and a command exclude each other");
	if (args->each && args->plain)
		return flt_command_misuse(l->command, "--each and --no-histogram exclude each other");
	return read_words(l, words);
}

/* Accounting that is off is switched on by having a session. */
static int begin_accounting(struct lat *l, bool command, struct flt_errmsg *e)
{
	struct flt_info info;
	uint32_t id;
	int ret;

	ret = flt_control_info(l->control, &info, e);
	if (ret)
		return ret;
	l->since = info.since;
	if (info.accounting)
		return 0;
	if (!l->interval && !command)
		return flt_errmsg_set(e, -EOPNOTSUPP, "accounting is off (the module was loaded with "
				      "accounting=0); give an interval to count from now on");
	ret = flt_control_session_new(l->control, NULL, 0, false, &id, e);
	if (!ret)
		l->since = flt_clock_ns(CLOCK_MONOTONIC);
	return ret;
}

static int lat_main(struct flt_run *run)
{
	struct lat l = { .command = run->command, .args = run->args, .control = run->control };
	struct flt_errmsg e = { "" };
	int ret, status;

	status = check_args(&l, &run->words);
	if (status)
		return status;
	if (!run->control)
		return flt_command_fail(run->command, &run->control_message, run->control_error);
	/* A pid here would be another process's there. */
	if ((l.args->pids.count || run->words.command) && !flt_machine_initial_pid_namespace()) {
		ret = flt_errmsg_set(&e, -EOPNOTSUPP, "this is not the initial PID namespace: the "
				     "flt module's pids mean others here; run fltctl outside of it");
		return flt_command_fail(l.command, &e, ret);
	}
	ret = begin_accounting(&l, run->words.command != NULL, &e);
	if (!ret)
		ret = lat_slowest_open(&l);
	if (!ret)
		ret = lat_report_open(&l);
	status = ret ? flt_command_fail(l.command, &e, ret) : lat_run(&l, run->words.command);
	lat_report_close(&l);
	lat_slowest_close(&l);
	lat_look_free(l.last);
	free(l.bound);
	return status;
}

const struct flt_command flt_command_lat = {
	.name = "lat",
	.summary = "how long faults take: histogram and percentiles, by kind and result",
	.synopsis = (const char *const[]){
		"[options] [-p PID,...] [INTERVAL [COUNT]]",
		"[options] [INTERVAL] -- COMMAND [ARGUMENT...]", NULL },
	.about = (const char *const[]){
		"Shows how long faults took, of the whole machine, of some processes, or of a "
		"command and its children: a histogram of all, and mean, percentiles and maximum "
		"of all, of each kind and of whatever handle_mm_fault() returned, by the kernel's "
		"names; and the slowest few as examples.",
		"A fault counts once, from its first attempt to its last, waiting included. "
		"Without an interval there is one report, of all since accounting began. With "
		"one the first report is the same, and each further one is of its interval only. "
		"All comes from counters that the flt module keeps anyway; only for the examples of "
		"an interval or of a command slow faults are streamed.",
		"With a command, reports when it ends. Its exit status is passed on.", NULL },
	.opts = opts,
	.defaults = &(const struct lat_args){ .slowest = 8, .slower = 1000000 },
	.args_size = sizeof(struct lat_args),
	.needs = FLT_USES_MODULE,
	.main = lat_main,
};
