// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "text/clock.h"
#include "cmd/lat/lat.h"
#include "observe/job.h"
#include "text/units.h"

/* How often slow faults are fetched, and their processes asked who they are. */
#define ROUND_NS (100 * FLT_NSEC_PER_MSEC)

struct run {
	struct lat *l;
	struct flt_loop *loop;
	struct flt_job job;
	struct flt_errmsg e;
};

/* One look, and what is new in it. last: there will be no more. */
static int report(struct lat *l, bool last, struct flt_errmsg *e)
{
	uint64_t from = l->last ? l->last->now : l->since;
	struct lat_look *look, *news;
	int ret;

	ret = lat_look(l, &look, e);
	if (ret)
		return ret;
	ret = lat_look_between(l->last, look, &news);
	lat_look_free(l->last);
	l->last = look;
	if (ret)
		return ret;
	ret = lat_slowest_read(l, last, e);
	if (!ret)
		ret = lat_slowest_kept(l, look, from, e);
	if (!ret)
		ret = lat_report(l, news, from);
	l->slowest.count = 0;
	l->reports++;
	lat_look_free(news);
	return ret;
}

static int on_interval(void *arg)
{
	struct run *r = arg;
	struct lat *l = r->l;
	int ret = report(l, false, &r->e);

	if ((!l->session && l->last->ended && l->last->by_process) ||
	    (l->count && l->reports >= l->count) || ferror(stdout))
		flt_loop_stop(r->loop);
	return ret;
}

static int on_round(void *arg)
{
	struct run *r = arg;

	return lat_slowest_read(r->l, false, &r->e);
}

static int stream(struct run *r, const uint32_t *tgids, size_t count, uint32_t *session)
{
	int ret = lat_slowest_stream(r->l, tgids, count, r->job.child.pid, &r->e);

	if (ret)
		return ret;
	*session = flt_stream_session(r->l->stream);
	return flt_loop_every(r->loop, ROUND_NS, on_round, r);
}

/* Before the gate opens. Examples are worth a stream, but not the whole report. */
static int arm(struct run *r)
{
	struct lat *l = r->l;
	bool wanted = l->args->slower && l->slowest.room && (l->interval || r->job.child.pid);
	uint32_t tgid = (uint32_t)r->job.child.pid, session = 0;
	int ret = -EOPNOTSUPP;

	l->since = tgid ? flt_clock_ns(CLOCK_MONOTONIC) : l->since;
	if (wanted) {
		ret = tgid ? stream(r, &tgid, 1, &session) :
			     stream(r, l->args->pids.id, l->args->pids.count, &session);
		if (ret)
			flt_command_say(l->command, "%s: slow faults only as far as the module "
					"keeps them", flt_errmsg_text(&r->e, ret));
	}
	if (!tgid)
		return 0;
	l->session = session;
	return session ? 0 : flt_control_session_new(l->control, &tgid, 1, true, &l->session, &r->e);
}

static int start(struct run *r, char **command)
{
	struct lat *l = r->l;
	int ret = flt_job_start(&r->job, r->loop, command, &r->e);

	if (ret)
		return ret;
	ret = arm(r);
	if (!ret && l->interval)
		ret = flt_loop_every(r->loop, l->interval, on_interval, r);
	if (ret)
		flt_job_cancel(&r->job);
	return ret;
}

static int watch(struct run *r, char **command)
{
	struct lat *l = r->l;
	int ret;

	if (!command) {
		ret = report(l, false, &r->e);
		if (ret || !l->interval || l->count == 1 ||
		    (l->last->by_process && l->last->ended))
			return ret;
		return flt_loop_run(r->loop);
	}
	ret = flt_loop_run(r->loop);
	flt_job_wait(&r->job);
	return ret ? ret : report(l, true, &r->e);
}

static int run(struct run *r, char **command)
{
	struct lat *l = r->l;
	int ret, status;

	ret = flt_job_release(&r->job);
	if (ret) {
		flt_command_say(l->command, "cannot run %s: %s", command[0], strerror(-ret));
		return flt_child_exec_status(ret);
	}
	ret = watch(r, command);
	if (!ret)
		ret = lat_slowest_lost(l, &r->e);
	if (ret)
		return flt_command_fail(l->command, &r->e, ret);
	status = lat_report_loss(l, &l->last->loss);
	if (command && r->job.wait_status)
		return flt_child_exit_status(r->job.wait_status);
	return status;
}

int lat_run(struct lat *l, char **command)
{
	struct run r = { .l = l };
	int ret, status;

	ret = flt_loop_new(&r.loop);
	if (!ret)
		ret = start(&r, command);
	status = ret ? flt_command_fail(l->command, &r.e, ret) : run(&r, command);
	flt_loop_free(r.loop);
	return status;
}
