// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/clock.h"
#include "cmd/lat/lat.h"
#include "model/counts/rates.h"

void lat_snapshot_free(struct lat_snapshot *snapshot)
{
	if (!snapshot)
		return;
	flt_rows_free(&snapshot->rows);
	free(snapshot->procs.latency);
	free(snapshot);
}

/* Read histograms by returned value and by kind: of a session, or if it is 0, of the machine. */
static int read_hists(struct lat *l, uint32_t session, struct lat_snapshot *snapshot,
		      struct flt_errmsg *e)
{
	struct flt_latencies list = { 0 };
	size_t i;
	int ret;

	ret = session ? flt_control_hists(l->control, session, FLT_HIST_BY_RETURN, &list, e) :
			flt_control_latency(l->control, true, &list, e);
	for (i = 0; i < list.count && !ret; i++)
		if (list.latency[i].returned < __FLT_RETURN_MAX)
			flt_hist_latency(&snapshot->returned[list.latency[i].returned],
					 &list.latency[i]);
	if (!ret)
		ret = session ? flt_control_hists(l->control, session, FLT_HIST_BY_KIND, &list, e) :
				flt_control_latency(l->control, false, &list, e);
	for (i = 0; i < list.count && !ret; i++) {
		const struct flt_latency *at = &list.latency[i];
		uint32_t kind = at->kind < __FLT_KIND_MAX ? at->kind : FLT_KIND_UNKNOWN;

		flt_hist_latency(&snapshot->kind[kind], at);
		flt_hist_latency(at->major ? &snapshot->major : &snapshot->minor, at);
		flt_hist_latency(&snapshot->all, at);
	}
	free(list.latency);
	return ret;
}

/* Processes beyond this number have octaves only. */
#define HISTS_PROCS 256

int lat_hists_open(struct lat *l, uint32_t command, struct flt_errmsg *e)
{
	const struct flt_ids *pids = &l->args->pids;
	const struct flt_hist_wish wish = {
		.cgroup = l->members ? flt_members_id(l->members) : 0, .procs = HISTS_PROCS,
		.causes = l->args->why,
	};
	int ret = flt_control_hist_new(l->control, command ? &command : pids->id,
				       command ? 1 : pids->count, command, &wish, &l->hists, e);

	if (!ret && l->args->why)
		l->why = l->hists;
	return ret;
}

int lat_why_open(struct lat *l, struct flt_errmsg *e)
{
	/* The tally of the machine has the histograms. */
	const struct flt_hist_wish wish = { .causes = true };

	return flt_control_hist_new(l->control, NULL, 0, false, &wish, &l->why, e);
}

static int read_causes(struct lat *l, struct lat_snapshot *snapshot, struct flt_errmsg *e)
{
	struct flt_latencies list = { 0 };
	int ret = flt_control_hists(l->control, l->why, FLT_HIST_BY_CAUSE, &list, e);
	size_t i;

	for (i = 0; i < list.count && !ret; i++)
		if (list.latency[i].cause < __FLT_CAUSE_MAX)
			memcpy(snapshot->cause[list.latency[i].cause], list.latency[i].buckets,
			       sizeof(snapshot->cause[0]));
	free(list.latency);
	snapshot->causes = true;
	return ret;
}

/* Read the histograms before the accounts, so that these include every fault in them. */
static int read_session_hists(struct lat *l, struct lat_snapshot *snapshot, struct flt_errmsg *e)
{
	int ret = flt_control_hists(l->control, l->hists, FLT_HIST_BY_PROCESS, &snapshot->procs, e);

	snapshot->hists = true;
	return ret ? ret : read_hists(l, l->hists, snapshot, e);
}

static int read_machine(struct lat *l, struct lat_snapshot *snapshot, struct flt_errmsg *e)
{
	struct flt_tally tally;
	size_t i;
	int ret;

	ret = read_hists(l, 0, snapshot, e);
	/* Read the maximum after the buckets, so that it covers every fault in them. */
	if (!ret)
		ret = flt_control_tally(l->control, &tally, e);
	if (ret)
		return ret;
	snapshot->total = tally.all;
	snapshot->all.max = tally.all.latency_max;
	snapshot->minor.cap = snapshot->major.cap = snapshot->all.max;
	for (i = 0; i < __FLT_KIND_MAX; i++)
		snapshot->kind[i].cap = snapshot->all.max;
	snapshot->all.sum = tally.all.latency_sum;
	snapshot->loss.missed = tally.all.missed;
	snapshot->loss.lost_busy = tally.lost_busy;
	snapshot->loss.lost_full = tally.lost_full;
	return 0;
}

static void put_account(struct lat_snapshot *snapshot, const struct flt_account *account)
{
	flt_rates_add(&snapshot->total, account);
	snapshot->loss.missed += account->missed;
}

static int read_session(struct lat *l, struct lat_snapshot *snapshot, struct flt_errmsg *e)
{
	struct flt_session session;
	int ret;

	ret = flt_control_procs(l->control, l->session, true, &snapshot->rows, e);
	if (ret == -EINTR) {
		snapshot->loss.torn = true;
		ret = 0;
	}
	if (!ret)
		ret = flt_control_session(l->control, l->session, true, &session, e);
	if (ret)
		return ret;
	put_account(snapshot, &session.account);
	snapshot->loss.untracked = session.untracked;
	snapshot->ended = !session.live;
	return 0;
}

/* Read the rows of all processes, which --by=cgroup sums up. */
static int read_all(struct lat *l, struct lat_snapshot *snapshot, struct flt_errmsg *e)
{
	int ret = flt_control_procs(l->control, 0, true, &snapshot->rows, e);

	snapshot->loss.torn |= ret == -EINTR;
	return ret == -EINTR ? 0 : ret;
}

static const struct flt_row *row_of(const struct lat_snapshot *snapshot, uint64_t id)
{
	size_t i;

	for (i = 0; snapshot && i < snapshot->rows.count; i++)
		if (snapshot->rows.row[i].id == id)
			return &snapshot->rows.row[i];
	return NULL;
}

/*
 * Read the processes of -p. A PID stands for its process in the first snapshot. If that process
 * has ended, keep its last counters, even if the kernel has used the PID again.
 */
static int read_pids(struct lat *l, struct lat_snapshot *snapshot, struct flt_errmsg *e)
{
	const struct flt_row *before;
	struct flt_row row;
	size_t i;
	int ret;

	if (!l->bound) {
		l->bound = calloc(l->args->pids.count, sizeof(*l->bound));
		if (!l->bound)
			return -ENOMEM;
	}
	snapshot->ended = true;
	for (i = 0; i < l->args->pids.count; i++) {
		ret = flt_control_proc(l->control, l->args->pids.id[i], true, &row, e);
		before = row_of(l->last, l->bound[i]);
		if (before && (ret == -ESRCH || (!ret && row.id != before->id))) {
			row = *before;
			row.ended = true;
			ret = 0;
		}
		if (ret)
			return ret == -ESRCH ? flt_errmsg_set(e, ret, "no fault of process %" PRIu32
							      " was counted", l->args->pids.id[i]) :
					       ret;
		l->bound[i] = row.id;
		snapshot->ended &= row.ended;
		put_account(snapshot, &row.account);
		ret = flt_rows_add(&snapshot->rows, &row);
		if (ret)
			return ret;
	}
	return 0;
}

/* A process that ended long ago may have no row any more. */
static int read_members(struct lat *l, struct lat_snapshot *snapshot, struct flt_errmsg *e)
{
	size_t i;
	int ret = read_all(l, snapshot, e);

	if (!ret)
		ret = flt_members_pick(l->members, &snapshot->rows, snapshot->loss.torn);
	snapshot->loss.unplaced = flt_members_unplaced(l->members);
	for (i = 0; i < snapshot->rows.count; i++)
		put_account(snapshot, &snapshot->rows.row[i].account);
	return ret;
}

int lat_snapshot_take(struct lat *l, struct lat_snapshot **out, struct flt_errmsg *e)
{
	struct lat_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	int ret;

	if (!snapshot)
		return -ENOMEM;
	/* Before the rows are read: an example from later belongs to this report or to the next. */
	snapshot->now = flt_clock_ns(CLOCK_MONOTONIC);
	snapshot->by_cgroup = l->cgroups;
	snapshot->of_command = l->session;
	snapshot->of_members = l->members;
	snapshot->by_process = l->session || l->members || l->args->pids.count;
	ret = l->hists ? read_session_hists(l, snapshot, e) : 0;
	if (!ret && l->why)
		ret = read_causes(l, snapshot, e);
	if (ret)
		;
	else if (l->session)
		ret = read_session(l, snapshot, e);
	else if (l->args->pids.count)
		ret = read_pids(l, snapshot, e);
	else if (l->members)
		ret = read_members(l, snapshot, e);
	else
		ret = read_machine(l, snapshot, e);
	if (!ret && !snapshot->by_process && l->cgroups)
		ret = read_all(l, snapshot, e);
	if (ret) {
		lat_snapshot_free(snapshot);
		return ret;
	}
	if (snapshot->by_process && !snapshot->hists)
		flt_hist_account(&snapshot->all, &snapshot->total);
	flt_rates_order(&snapshot->rows);
	*out = snapshot;
	return 0;
}

static const struct flt_latency *process_of(const struct flt_latencies *list, uint64_t id)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->latency[i].proc == id)
			return &list->latency[i];
	return NULL;
}

bool lat_snapshot_process(const struct lat_snapshot *snapshot, uint64_t id, struct flt_hist *hist)
{
	const struct flt_latency *at = snapshot->hists ? process_of(&snapshot->procs, id) : NULL;

	*hist = (struct flt_hist){ 0 };
	if (at)
		flt_hist_latency(hist, at);
	return at;
}

/* Subtract the histograms of processes. A process has its slot for as long as the session. */
static int subtract_processes(const struct flt_latencies *before,
			      const struct flt_latencies *after, struct flt_latencies *out)
{
	size_t i, k;

	out->latency = calloc(after->count, sizeof(*out->latency));
	if (!out->latency && after->count)
		return -ENOMEM;
	for (i = 0; i < after->count; i++) {
		const struct flt_latency *old = process_of(before, after->latency[i].proc);
		struct flt_latency *d = &out->latency[out->count];

		if (!after->latency[i].proc)
			continue;
		*d = after->latency[i];
		out->count++;
		if (!old)
			continue;
		for (k = 0; k < FLT_BUCKETS; k++)
			d->buckets[k] -= old->buckets[k];
		d->sum -= old->sum;
		/* If the maximum did not grow, the maximum of this time is unknown. */
		d->max = d->max > old->max ? d->max : 0;
	}
	return 0;
}

/*
 * Let the counts be those of the histograms, which begin with the session and not with the
 * processes. Missed faults are in no histogram; they count as minor faults of an unknown kind.
 */
static void count_hists(struct lat_snapshot *d)
{
	const uint64_t missed = d->total.missed;
	uint32_t i;

	d->total.minor = flt_hist_total(&d->minor) + missed;
	d->total.major = flt_hist_total(&d->major);
	for (i = 0; i < __FLT_KIND_MAX; i++)
		d->total.kinds[i] = flt_hist_total(&d->kind[i]) +
				    (i == FLT_KIND_UNKNOWN ? missed : 0);
}

static void subtract_cause(const uint64_t *after, const uint64_t *before, uint64_t *out)
{
	size_t i;

	for (i = 0; i < FLT_BUCKETS; i++)
		out[i] = after[i] - before[i];
}

/*
 * The histograms were read before the rows. So a process may have faults in its histogram and no
 * new ones in its row, which had them in the snapshot before.
 */
static int add_rows_of_hists(const struct lat_snapshot *after, struct lat_snapshot *d)
{
	const struct flt_latency *latency = d->procs.latency;
	const struct flt_row *row;
	struct flt_rows add = { 0 };
	struct flt_hist hist;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < d->procs.count; i++) {
		flt_hist_latency(&hist, &latency[i]);
		if (!flt_hist_total(&hist) || row_of(d, latency[i].proc))
			continue;
		row = row_of(after, latency[i].proc);
		if (row)
			ret = flt_rows_add(&add, row);
	}
	for (i = 0; !ret && i < add.count; i++) {
		add.row[i].account = (struct flt_account){ 0 };
		ret = flt_rows_add(&d->rows, &add.row[i]);
	}
	flt_rows_free(&add);
	return ret;
}

int lat_snapshot_subtract(const struct lat_snapshot *before, const struct lat_snapshot *after,
		     struct lat_snapshot **out)
{
	static const struct lat_snapshot nothing;
	struct lat_snapshot *d = calloc(1, sizeof(*d));
	uint64_t gone;
	size_t i;
	int ret;

	if (!d)
		return -ENOMEM;
	/* Without a snapshot before, the histograms have the faults of a command only. */
	d->hists = after->hists && (before ? before->hists : after->of_command);
	if (!before)
		before = &nothing;
	d->now = after->now;
	d->by_process = after->by_process;
	d->by_cgroup = after->by_cgroup;
	d->loss = after->loss;
	d->ended = after->ended;
	d->causes = after->causes && (before->causes || after->of_command);
	for (i = 0; i < __FLT_CAUSE_MAX; i++)
		subtract_cause(after->cause[i], before->cause[i], d->cause[i]);
	flt_rates_subtract(&after->total, &before->total, &d->total);
	if (after->hists && !d->hists)
		flt_hist_account(&d->all, &after->total);
	else
		flt_hist_subtract(&after->all, &before->all, &d->all);
	flt_hist_subtract(&after->minor, &before->minor, &d->minor);
	flt_hist_subtract(&after->major, &before->major, &d->major);
	for (i = 0; i < __FLT_KIND_MAX; i++)
		flt_hist_subtract(&after->kind[i], &before->kind[i], &d->kind[i]);
	for (i = 0; i < __FLT_RETURN_MAX; i++)
		flt_hist_subtract(&after->returned[i], &before->returned[i], &d->returned[i]);
	ret = flt_rates_between(&before->rows, &after->rows, &d->rows, NULL, &gone);
	if (ret) {
		lat_snapshot_free(d);
		return ret;
	}
	/*
	 * The maximum of a row covers its whole life. If the maximum did not grow in this time,
	 * the maximum of this time is unknown.
	 */
	for (i = 0; before != &nothing && i < d->rows.count; i++) {
		const struct flt_row *old = row_of(before, d->rows.row[i].id);

		if (old && old->account.latency_max >= d->rows.row[i].account.latency_max)
			d->rows.row[i].account.latency_max = 0;
	}
	if (after->of_members) {
		flt_rates_sum(&d->rows, &d->total);
		if (!after->hists) {
			d->all = (struct flt_hist){ 0 };
			flt_hist_account(&d->all, &d->total);
		}
	}
	if (d->by_cgroup)
		flt_cgroups_join(&d->rows);
	flt_rates_rank(&d->rows);
	if (d->hists) {
		count_hists(d);
		ret = subtract_processes(&before->procs, &after->procs, &d->procs);
		if (!ret && !d->by_cgroup)
			ret = add_rows_of_hists(after, d);
		if (ret) {
			lat_snapshot_free(d);
			return ret;
		}
	}
	*out = d;
	return 0;
}
