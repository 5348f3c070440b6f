// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "text/clock.h"
#include "cmd/lat/lat.h"
#include "observe/observe.h"
#include "text/units.h"

/* Period of reading the stream of slow faults. */
#define ROUND_NS (100 * FLT_NSEC_PER_MSEC)

struct run {
	struct lat *l;
	struct flt_observe o;
};

/* Take a snapshot, and report the difference from the last one. last: the run ends. */
static int report(struct lat *l, bool last, struct flt_errmsg *e)
{
	uint64_t from = l->last ? l->last->now : l->since;
	struct lat_snapshot *snapshot, *news;
	int ret;

	ret = lat_snapshot_take(l, &snapshot, e);
	if (ret)
		return ret;
	ret = lat_snapshot_subtract(l->last, snapshot, &news);
	lat_snapshot_free(l->last);
	l->last = snapshot;
	if (ret)
		return ret;
	ret = lat_slowest_catch_up(l, last, e);
	if (!ret)
		ret = lat_slowest_kept(l, snapshot, from, e);
	if (!ret)
		ret = lat_report(l, news, from);
	lat_slowest_clear(l);
	l->reports++;
	lat_snapshot_free(news);
	return ret;
}

static void stop_if_over(struct run *r)
{
	const struct lat *l = r->l;

	if ((!l->session && l->last->ended && l->last->by_process) ||
	    (l->count && l->reports >= l->count) || ferror(stdout))
		flt_loop_stop(r->o.loop);
}

static int on_interval(void *arg)
{
	struct run *r = arg;
	int ret = report(r->l, false, &r->o.e);

	if (!ret)
		stop_if_over(r);
	return ret;
}

static int on_round(void *arg)
{
	struct run *r = arg;

	return lat_slowest_read(r->l, &r->o.e);
}

static int stream(struct run *r, const uint32_t *tgids, size_t count)
{
	int ret = lat_slowest_stream(r->l, tgids, count, r->o.child.pid, &r->o.e);

	return ret ? ret : flt_loop_every(r->o.loop, ROUND_NS, on_round, r);
}

/* Stream slow faults. If that fails, the examples are only the faults that the module keeps. */
static void arm_stream(struct run *r, uint32_t tgid)
{
	struct lat *l = r->l;
	int ret = tgid ? stream(r, &tgid, 1) :
			 stream(r, l->args->pids.id, l->args->pids.count);

	if (!ret)
		return;
	flt_command_say(l->command, "cannot stream slow faults: %s (examples are only the faults "
			"that the module keeps)", flt_errmsg_text(&r->o.e, ret));
	r->o.e = (struct flt_errmsg){ "" };
}

/*
 * Open the session that keeps histograms, if there are targets. A command has a session without
 * them if the module has no room for more.
 */
static int arm_hists(struct run *r, uint32_t tgid)
{
	struct lat *l = r->l;
	int ret = lat_hists_open(l, tgid, &r->o.e);

	/* Without histograms there are no causes. */
	if (ret && l->args->why)
		return ret;
	if (ret) {
		flt_command_say(l->command, "cannot keep histograms: %s (latencies by kind and by "
				"result are unknown)", flt_errmsg_text(&r->o.e, ret));
		r->o.e = (struct flt_errmsg){ "" };
		ret = tgid ? flt_control_session_new(l->control, &tgid, 1, true, &l->session,
						     &r->o.e) : 0;
	} else if (tgid) {
		l->session = l->hists;
	}
	return ret;
}

static int arm(void *arg)
{
	struct run *r = arg;
	struct lat *l = r->l;
	uint32_t tgid = (uint32_t)r->o.child.pid;
	int ret;

	l->since = tgid ? flt_clock_ns(CLOCK_MONOTONIC) : l->since;
	/* With --why the module keeps the slowest faults with their causes. */
	if (l->args->slower && l->slowest.room && (l->interval || tgid) && !l->args->why)
		arm_stream(r, tgid);
	if (tgid)
		return arm_hists(r, tgid);
	ret = (l->args->pids.count || l->members) && l->interval ? arm_hists(r, 0) :
	      l->args->why ? lat_why_open(l, &r->o.e) : 0;
	if (ret)
		return ret;
	ret = report(l, false, &r->o.e);
	if (!ret)
		stop_if_over(r);
	return ret;
}

static int finish(void *arg)
{
	struct run *r = arg;
	struct lat *l = r->l;
	int ret = r->o.setup.argv ? report(l, true, &r->o.e) : 0, status, loss;

	if (!ret)
		ret = lat_slowest_lost(l, &r->o.e);
	if (ret)
		return flt_command_fail(l->command, &r->o.e, ret);
	status = l->args->plot ? lat_plot_write(l) : FLT_EXIT_DONE;
	loss = lat_report_loss(l, &l->last->loss);
	return status ? status : loss;
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_interval,
	.finish = finish,
};

int lat_run(struct lat *l, char **command)
{
	struct run r = {
		.l = l,
		.o = {
			.command = l->command, .ops = &ops, .arg = &r, .setup.argv = command,
			.period = l->interval, .once = !command && (!l->interval || l->count == 1),
			.stdout_of_command = l->redirect.original,
		},
	};

	return flt_observe_run(&r.o);
}
