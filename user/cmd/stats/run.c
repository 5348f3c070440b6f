// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "text/clock.h"
#include "observe/job.h"
#include "cmd/stats/stats.h"
#include "observe/loop.h"
#include "source/netlink/control.h"
#include "source/perf/perf.h"
#include "text/units.h"

#define PROGRESS_NS (500 * FLT_NSEC_PER_MSEC)
/* Without a terminal: the first line after this, and then one in so many. */
#define PROGRESS_QUIET_NS (2 * FLT_NSEC_PER_SEC)
#define PROGRESS_LINE_NS (10 * FLT_NSEC_PER_SEC)

struct run {
	struct stats *s;
	struct flt_loop *loop;
	struct flt_job job;
	struct flt_perf perf;
	struct flt_errmsg e;
	uint64_t begin;
	bool terminal;
	bool progress_shown;
	uint64_t next_line;
};

static int current_counts(struct run *r, uint64_t *minor, uint64_t *major, uint64_t *latency)
{
	struct stats *s = r->s;
	struct flt_session session;
	int ret;

	*latency = 0;
	if (!s->control)
		return s->perf ? flt_perf_read(s->perf, minor, major) : -EOPNOTSUPP;
	ret = flt_control_session(s->control, s->session, false, &session, NULL);
	if (ret)
		return ret;
	*minor = session.account.minor;
	*major = session.account.major;
	*latency = session.account.latency_sum;
	return 0;
}

static int on_look(void *arg)
{
	uint64_t minor, major, latency;
	struct run *r = arg;

	if (!current_counts(r, &minor, &major, &latency))
		flt_correlation_add(r->s->with, flt_clock_ns(CLOCK_MONOTONIC),
			  &(struct flt_correlation_counts){ .faults = minor + major, .latency = latency });
	return 0;
}

static int on_progress(void *arg)
{
	uint64_t elapsed, minor, major, latency;
	struct run *r = arg;

	elapsed = flt_clock_ns(CLOCK_MONOTONIC) - r->begin;
	if (!r->terminal && elapsed < r->next_line)
		return 0;
	if (current_counts(r, &minor, &major, &latency))
		return 0;
	fprintf(stderr, "%s%.1f s: minor %" PRIu64 " (%.1f/s), major %" PRIu64 "%s",
		r->terminal ? "\r" : "fltctl stats: ", (double)elapsed / 1e9, minor,
		(double)minor * 1e9 / (double)elapsed, major, r->terminal ? "    " : "\n");
	r->progress_shown = true;
	r->next_line = elapsed + PROGRESS_LINE_NS;
	return 0;
}

static int on_interval(void *arg)
{
	struct run *r = arg;

	return stats_watch_report(r->s, !r->s->reports, &r->e);
}

/* Before the gate opens: whatever counts the command must be in place. */
static int arm(struct run *r)
{
	struct stats *s = r->s;
	uint32_t tgid = (uint32_t)r->job.child.pid;
	int ret;

	if (s->control)
		return flt_control_session_new(s->control, &tgid, 1, true, &s->session, &r->e);
	ret = flt_perf_open(&r->perf, r->job.child.pid, &r->e);
	if (ret)
		flt_command_say(s->command, "%s: no figures while the command runs",
				flt_errmsg_text(&r->e, ret));
	else
		s->perf = &r->perf;
	return 0;
}

static int start(struct run *r, char **command)
{
	int ret = flt_correlation_start(r->s->with, &r->job, r->loop, command, &r->e);

	if (ret)
		return ret;
	ret = arm(r);
	if (!ret && r->s->with)
		ret = flt_loop_every(r->loop, FLT_CORRELATION_PERIOD_NS, on_look, r);
	if (!ret)
		ret = r->s->interval ? flt_loop_every(r->loop, r->s->interval, on_interval, r) :
				       flt_loop_every(r->loop, PROGRESS_NS, on_progress, r);
	if (ret)
		flt_job_cancel(&r->job);
	return ret;
}

static uint64_t ns_of(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * FLT_NSEC_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

/*
 * Without the module wait4() has the counts by the kernel's rule, of all that
 * somebody waited for. More in the perf events means descendants that nobody did.
 */
static int count_kernel(struct run *r, struct flt_look *look)
{
	uint64_t minor, major;

	*look = (struct flt_look){ .now = flt_clock_ns(CLOCK_MONOTONIC) };
	look->total.minor = (uint64_t)r->job.usage.ru_minflt;
	look->total.major = (uint64_t)r->job.usage.ru_majflt;
	if (!r->s->perf || flt_perf_read(r->s->perf, &minor, &major))
		return 0;
	if (minor <= look->total.minor && major <= look->total.major)
		return 0;
	look->loss.vanished = 1;
	flt_command_say(r->s->command, "perf saw %" PRIu64 " minor and %" PRIu64 " major faults: "
			"some are of descendants that nobody waited for", minor, major);
	return 0;
}

static int sum_up(struct run *r, char **command)
{
	struct stats_command c = {
		.argv = command,
		.elapsed = flt_clock_ns(CLOCK_MONOTONIC) - r->begin,
		.user = ns_of(&r->job.usage.ru_utime),
		.system = ns_of(&r->job.usage.ru_stime),
		.minor = (uint64_t)r->job.usage.ru_minflt,
		.major = (uint64_t)r->job.usage.ru_majflt,
		.status = flt_child_exit_status(r->job.wait_status),
	};
	struct stats *s = r->s;
	struct flt_look look;
	size_t i, alive = 0;
	int ret, status, shown;

	if (s->interval) {
		ret = stats_watch_report(s, !s->reports, &r->e);
		if (ret)
			return flt_command_fail(s->command, &r->e, ret);
	}
	ret = s->control ? stats_look(s, &look, &r->e) : count_kernel(r, &look);
	if (ret)
		return flt_command_fail(s->command, &r->e, ret);
	for (i = 0; i < look.rows.count; i++)
		alive += !look.rows.row[i].ended;
	if (alive)
		flt_command_say(s->command, "%zu processes of the command still run; their faults "
				"up to now are in the sum", alive);
	c.processes = (uint32_t)look.rows.count;
	status = stats_report_command(s, &c, &look);
	stats_look_free(&look);
	shown = flt_correlation_report(s->with, s->out);
	status = status ? status : shown;
	return c.status ? c.status : status;
}

int stats_run(struct stats *s, char **command)
{
	struct run r = {
		.s = s,
		.perf = { .minor_fd = -1, .major_fd = -1 },
		.terminal = isatty(STDERR_FILENO),
		.next_line = PROGRESS_QUIET_NS,
	};
	int ret, status;

	ret = flt_loop_new(&r.loop);
	if (!ret)
		ret = start(&r, command);
	if (ret) {
		status = flt_command_fail(s->command, &r.e, ret);
		goto out;
	}
	r.begin = flt_clock_ns(CLOCK_MONOTONIC);
	s->since = r.begin;
	flt_correlation_add(s->with, r.begin, &(struct flt_correlation_counts){ 0 });
	ret = flt_job_release(&r.job);
	if (ret) {
		flt_command_say(s->command, "cannot run %s: %s", command[0], strerror(-ret));
		status = flt_child_exec_status(ret);
		goto out;
	}
	ret = flt_loop_run(r.loop);
	if (r.terminal && r.progress_shown)
		fputs("\r                                                            \r", stderr);
	if (ret && r.job.child.pid > 0) {
		/* Only our own view is lost: the command goes on, and is waited for. */
		flt_command_say(s->command, "%s", flt_errmsg_text(&r.e, ret));
		flt_job_wait(&r.job);
	}
	status = sum_up(&r, command);
out:
	flt_loop_free(r.loop);
	flt_perf_close(&r.perf);
	s->perf = NULL;
	return status;
}
