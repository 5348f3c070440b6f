// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "cmd/stats/stats.h"
#include "observe/cgroups.h"
#include "observe/observe.h"
#include "model/counts/rates.h"

/*
 * Report faults without a row and of retired rows. A retired row was added to the sum with
 * all its faults, so subtract those that were reported before.
 */
static int report_other(struct stats *s, const char *span, uint64_t ns)
{
	struct flt_row row = { .comm = "(other)" };
	struct flt_account unseen;

	if (flt_rates_subtract(&s->other, &s->gone, &unseen) ||
	    flt_rates_subtract(&unseen, &s->other_shown, &row.account))
		return 0;
	if (!flt_rates_ended(&row.account) && !row.account.retried)
		return 0;
	flt_rates_add(&s->other_shown, &row.account);
	return stats_report_row(s, "other", span, &row, ns);
}

static int report_rows(struct stats *s, const struct flt_snapshot *snapshot, const char *span,
		       uint64_t ns)
{
	const char *record = s->by == STATS_BY_THREAD ? "thread" :
			     s->by == STATS_BY_CGROUP ? "cgroup" : "process";
	struct flt_rows changes = { 0 };
	uint64_t gone;
	int ret;

	ret = flt_rates_between(&s->last.rows, &snapshot->rows, &changes, &s->gone, &gone);
	/* /proc has no counts of an ended process. Those of a thread are in its process. */
	if (!s->control && !s->args->pids.count)
		s->vanished += gone;
	if (!ret && s->by == STATS_BY_CGROUP) {
		flt_cgroups_join(&changes);
		ret = stats_cgroups_count(s, &changes);
	}
	flt_rates_rank(&changes);
	if (!ret)
		ret = stats_report_rows(s, record, span, &changes,
					s->args->top == STATS_TOP_UNSET ? 0 : s->args->top, ns);
	flt_rows_free(&changes);
	if (!ret && s->control && !s->args->pids.count && !s->args->cgroup && !s->session &&
	    (s->by == STATS_BY_PROCESS || s->by == STATS_BY_CGROUP))
		ret = report_other(s, span, ns);
	return ret;
}

/* Sum up the faults of the members of a cgroup since the last snapshot. */
static int sum_members(struct stats *s, const struct flt_snapshot *snapshot,
		       struct flt_account *sum)
{
	struct flt_rows changes = { 0 };
	uint64_t gone;
	int ret = flt_rates_between(&s->last.rows, &snapshot->rows, &changes, &s->gone, &gone);

	if (!ret)
		flt_rates_sum(&changes, sum);
	flt_rows_free(&changes);
	return ret;
}

static int report_snapshot(struct stats *s, const struct flt_snapshot *snapshot, const char *span,
			   uint64_t ns)
{
	struct flt_row row = { .comm = "(all)" };
	int ret = 0;

	if (s->by == STATS_BY_PROCESS || s->by == STATS_BY_THREAD || s->by == STATS_BY_CGROUP)
		if (!s->perf)
			return report_rows(s, snapshot, span, ns);
	if (s->by == STATS_BY_KIND && s->args->cgroup)
		ret = sum_members(s, snapshot, &row.account);
	else
		flt_rates_subtract(&snapshot->total, &s->last.total, &row.account);
	if (ret)
		return ret;
	if (s->by == STATS_BY_KIND)
		return stats_report_kinds(s, span, &row.account, ns);
	if (s->perf)
		strcpy(row.comm, "(command)");
	return stats_report_row(s, s->perf ? "running" : "machine", span, &row, ns);
}

int stats_watch_report(struct stats *s, bool first, struct flt_errmsg *e)
{
	uint64_t since = first ? s->since : s->last.now;
	struct flt_snapshot snapshot;
	int ret;

	stats_report_begin(s);
	ret = stats_snapshot(s, &snapshot, e);
	if (ret)
		return ret;
	if (first)
		stats_report_since(s, s->since, snapshot.now);
	ret = report_snapshot(s, &snapshot, first ? "begin" : "interval",
			      since ? snapshot.now - since : 0);
	/* report_rows() counts processes that vanished. */
	snapshot.loss.vanished = s->vanished;
	if (s->args->cgroup ||
	    (!s->control && !s->args->pids.count && s->by != STATS_BY_KIND))
		flt_rates_add(&snapshot.total, &s->gone);
	stats_snapshot_free(&s->last);
	s->last = snapshot;
	s->reports++;
	stats_report_flush(s, first || s->by != STATS_BY_MACHINE || s->reports % 20 == 0);
	return ret;
}

struct watch {
	struct stats *s;
	struct flt_observe o;
};

static void stop_if_over(struct watch *w)
{
	const struct stats *s = w->s;

	if ((s->count && s->reports >= s->count) || stats_all_ended(s) || s->unwritten)
		flt_loop_stop(w->o.loop);
}

static int on_interval(void *arg)
{
	struct watch *w = arg;
	int ret = stats_watch_report(w->s, false, &w->o.e);

	if (!ret)
		stop_if_over(w);
	return ret;
}

static int arm(void *arg)
{
	struct watch *w = arg;
	int ret = stats_watch_report(w->s, true, &w->o.e);

	if (!ret)
		stop_if_over(w);
	return ret;
}

static int finish(void *arg)
{
	const struct watch *w = arg;
	struct stats *s = w->s;

	return stats_report_total(s, &s->last, s->since ? s->last.now - s->since : 0);
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_interval,
	.finish = finish,
};

int stats_watch(struct stats *s)
{
	struct watch w = {
		.s = s,
		.o = {
			.command = s->command, .ops = &ops, .arg = &w, .period = s->interval,
			.once = !s->interval || s->count == 1,
		},
	};

	return flt_observe_run(&w.o);
}
