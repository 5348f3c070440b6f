// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "text/clock.h"
#include "cmd/stats/stats.h"
#include "model/counts/rates.h"
#include "observe/observe.h"
#include "source/netlink/control.h"
#include "source/perf/perf.h"
#include "text/units.h"

struct run {
	struct stats *s;
	struct flt_observe o;
	struct flt_perf perf;
};

static int current_counts(const struct stats *s, struct flt_correlation_counts *counts,
			  uint64_t *major)
{
	struct flt_session session;
	uint64_t minor;
	int ret;

	if (!s->control) {
		ret = s->perf ? flt_perf_read(s->perf, &minor, major) : -EOPNOTSUPP;
		counts->faults = ret ? 0 : minor + *major;
		return ret;
	}
	ret = flt_control_session(s->control, s->session, false, &session, NULL);
	if (ret)
		return ret;
	*major = session.account.major;
	counts->faults = session.account.minor + *major;
	counts->latency = session.account.latency_sum;
	return 0;
}

static int count(void *arg, struct flt_correlation_counts *counts)
{
	const struct run *r = arg;
	uint64_t major;

	return current_counts(r->s, counts, &major);
}

static int progress(void *arg)
{
	struct flt_correlation_counts counts = { 0 };
	struct run *r = arg;
	uint64_t elapsed = flt_clock_ns(CLOCK_MONOTONIC) - r->o.began, major;

	if (!current_counts(r->s, &counts, &major))
		flt_observe_show(&r->o, "minor %" PRIu64 " (%.1f/s), major %" PRIu64,
				 counts.faults - major,
				 flt_rates_per_second(counts.faults - major, elapsed), major);
	return 0;
}

static int on_interval(void *arg)
{
	struct run *r = arg;

	return stats_watch_report(r->s, !r->s->reports, &r->o.e);
}

/* Open the counters of the command. */
static int arm(void *arg)
{
	struct run *r = arg;
	struct stats *s = r->s;
	uint32_t tgid = (uint32_t)r->o.child.pid;
	int ret;

	s->since = flt_clock_ns(CLOCK_MONOTONIC);
	if (s->control) {
		ret = stats_lost_begin(s, &r->o.e);
		return ret ? ret : flt_control_session_new(s->control, &tgid, 1, true,
							   &s->session, &r->o.e);
	}
	ret = flt_perf_open(&r->perf, r->o.child.pid, &r->o.e);
	if (ret) {
		flt_command_say(s->command, "cannot show progress: %s",
				flt_errmsg_text(&r->o.e, ret));
		/* /proc/PID/stat has no counts of a command: only of all processes. */
		r->o.period = 0;
	} else {
		s->perf = &r->perf;
	}
	r->o.e = (struct flt_errmsg){ "" };
	return 0;
}

static uint64_t ns_of(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * FLT_NSEC_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

/*
 * Without the module, wait4() returns the counts of the command and of all descendants that
 * were waited for. If perf events counted more, some descendants were not waited for.
 */
static int count_kernel(struct run *r, struct flt_snapshot *snapshot)
{
	uint64_t minor, major;

	*snapshot = (struct flt_snapshot){ .now = flt_clock_ns(CLOCK_MONOTONIC) };
	snapshot->total.minor = (uint64_t)r->o.usage.ru_minflt;
	snapshot->total.major = (uint64_t)r->o.usage.ru_majflt;
	if (!r->s->perf || flt_perf_read(r->s->perf, &minor, &major))
		return 0;
	if (minor <= snapshot->total.minor && major <= snapshot->total.major)
		return 0;
	snapshot->loss.vanished = 1;
	flt_command_say(r->s->command, "perf events counted %" PRIu64 " minor and %" PRIu64
			" major faults, including those of descendants that nobody waited for",
			minor, major);
	return 0;
}

static void report_running(const struct stats *s, const struct flt_rows *rows)
{
	size_t i, alive = 0;

	for (i = 0; i < rows->count; i++)
		alive += !rows->row[i].ended;
	if (alive)
		flt_command_say(s->command, "%zu process%s of the command still running; the sum "
				"includes faults until now", alive, alive == 1 ? "" : "es");
}

/* Add the processes without a row, which the module has summed up by name. */
static int add_names(struct stats *s, struct flt_snapshot *snapshot, struct flt_errmsg *e)
{
	struct flt_rows names = { 0 };
	size_t i;
	int ret;

	ret = flt_control_names(s->control, s->session, &names, e);
	for (i = 0; i < names.count && !ret; i++)
		ret = flt_rows_add(&snapshot->rows, &names.row[i]);
	flt_rows_free(&names);
	return ret;
}

static int finish(void *arg)
{
	struct run *r = arg;
	struct stats_command c = {
		.argv = r->o.setup.argv,
		.elapsed = flt_clock_ns(CLOCK_MONOTONIC) - r->o.began,
		.user = ns_of(&r->o.usage.ru_utime),
		.system = ns_of(&r->o.usage.ru_stime),
		.minor = (uint64_t)r->o.usage.ru_minflt,
		.major = (uint64_t)r->o.usage.ru_majflt,
		.status = flt_child_exit_status(r->o.wait_status),
	};
	struct stats *s = r->s;
	struct flt_snapshot snapshot;
	int ret = 0, status, shown;

	if (r->o.period)
		ret = stats_watch_report(s, !s->reports, &r->o.e);
	if (!ret)
		ret = s->control ? stats_snapshot(s, &snapshot, &r->o.e) :
				   count_kernel(r, &snapshot);
	if (ret)
		return flt_command_fail(s->command, &r->o.e, ret);
	report_running(s, &snapshot.rows);
	c.processes = snapshot.processes;
	if (s->control)
		ret = add_names(s, &snapshot, &r->o.e);
	status = ret ? flt_command_fail(s->command, &r->o.e, ret) :
		       stats_report_command(s, &c, &snapshot);
	stats_snapshot_free(&snapshot);
	shown = flt_correlation_report(s->with, s->out);
	return status ? status : shown;
}

/* Report after a failure of the loop, too, because the counters are still right. */
static int salvage(void *arg, int err)
{
	(void)err;
	return finish(arg);
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_interval,
	.progress = progress,
	.count = count,
	.finish = finish,
	.salvage = salvage,
};

int stats_run(struct stats *s, char **command)
{
	struct run r = {
		.s = s,
		.o = {
			.command = s->command, .ops = &ops, .arg = &r, .setup.argv = command,
			.period = s->interval, .progress = !s->interval, .with = s->with,
		},
		.perf = { .minor_fd = -1, .major_fd = -1 },
	};
	int status = flt_observe_run(&r.o);

	flt_perf_close(&r.perf);
	s->perf = NULL;
	return status;
}
