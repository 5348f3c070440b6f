// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "text/clock.h"
#include "cmd/lat/lat.h"
#include "model/counts/rates.h"

void lat_look_free(struct lat_look *look)
{
	if (!look)
		return;
	flt_rows_free(&look->rows);
	free(look);
}

static int look_machine(struct lat *l, struct lat_look *look, struct flt_errmsg *e)
{
	struct flt_latencies list = { 0 };
	struct flt_tally tally;
	size_t i;
	int ret;

	ret = flt_control_latency(l->control, true, &list, e);
	for (i = 0; i < list.count && !ret; i++)
		if (list.latency[i].returned < __FLT_RETURN_MAX)
			flt_hist_buckets(&look->returned[list.latency[i].returned],
					 list.latency[i].buckets);
	if (!ret)
		ret = flt_control_latency(l->control, false, &list, e);
	for (i = 0; i < list.count && !ret; i++) {
		const struct flt_latency *at = &list.latency[i];
		uint32_t kind = at->kind < __FLT_KIND_MAX ? at->kind : FLT_KIND_UNKNOWN;

		flt_hist_buckets(&look->kind[kind], at->buckets);
		flt_hist_buckets(at->major ? &look->major : &look->minor, at->buckets);
		flt_hist_buckets(&look->all, at->buckets);
	}
	free(list.latency);
	/* Last: the maximum is then no less than what is in the buckets. */
	if (!ret)
		ret = flt_control_tally(l->control, &tally, e);
	if (ret)
		return ret;
	look->total = tally.all;
	look->all.max = tally.all.latency_max;
	look->minor.cap = look->major.cap = look->all.max;
	for (i = 0; i < __FLT_KIND_MAX; i++)
		look->kind[i].cap = look->all.max;
	look->all.sum = tally.all.latency_sum;
	look->loss.missed = tally.all.missed;
	look->loss.lost_busy = tally.lost_busy;
	look->loss.lost_full = tally.lost_full;
	return 0;
}

static void put_account(struct lat_look *look, const struct flt_account *account)
{
	flt_rates_add(&look->total, account);
	look->loss.missed += account->missed;
}

static int look_session(struct lat *l, struct lat_look *look, struct flt_errmsg *e)
{
	struct flt_session session;
	int ret;

	ret = flt_control_procs(l->control, l->session, true, &look->rows, e);
	if (ret == -EINTR) {
		look->loss.torn = true;
		ret = 0;
	}
	if (!ret)
		ret = flt_control_session(l->control, l->session, true, &session, e);
	if (ret)
		return ret;
	put_account(look, &session.account);
	look->loss.untracked = session.untracked;
	look->ended = !session.live;
	return 0;
}

static const struct flt_row *row_of(const struct lat_look *look, uint64_t id)
{
	size_t i;

	for (i = 0; look && i < look->rows.count; i++)
		if (look->rows.row[i].id == id)
			return &look->rows.row[i];
	return NULL;
}

/* The process that a pid meant at the first look, also when it is another's by now. */
static int look_pids(struct lat *l, struct lat_look *look, struct flt_errmsg *e)
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
	look->ended = true;
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
		look->ended &= row.ended;
		put_account(look, &row.account);
		ret = flt_rows_add(&look->rows, &row);
		if (ret)
			return ret;
	}
	return 0;
}

int lat_look(struct lat *l, struct lat_look **out, struct flt_errmsg *e)
{
	struct lat_look *look = calloc(1, sizeof(*look));
	int ret;

	if (!look)
		return -ENOMEM;
	look->by_process = l->session || l->args->pids.count;
	if (l->session)
		ret = look_session(l, look, e);
	else
		ret = l->args->pids.count ? look_pids(l, look, e) : look_machine(l, look, e);
	if (ret) {
		lat_look_free(look);
		return ret;
	}
	if (look->by_process)
		flt_hist_account(&look->all, &look->total);
	flt_rates_order(&look->rows);
	look->now = flt_clock_ns(CLOCK_MONOTONIC);
	*out = look;
	return 0;
}

int lat_look_between(const struct lat_look *before, const struct lat_look *after,
		     struct lat_look **out)
{
	static const struct lat_look nothing;
	struct lat_look *d = calloc(1, sizeof(*d));
	uint64_t gone;
	size_t i;
	int ret;

	if (!d)
		return -ENOMEM;
	if (!before)
		before = &nothing;
	d->now = after->now;
	d->by_process = after->by_process;
	d->loss = after->loss;
	d->ended = after->ended;
	flt_rates_subtract(&after->total, &before->total, &d->total);
	flt_hist_subtract(&after->all, &before->all, &d->all);
	flt_hist_subtract(&after->minor, &before->minor, &d->minor);
	flt_hist_subtract(&after->major, &before->major, &d->major);
	for (i = 0; i < __FLT_KIND_MAX; i++)
		flt_hist_subtract(&after->kind[i], &before->kind[i], &d->kind[i]);
	for (i = 0; i < __FLT_RETURN_MAX; i++)
		flt_hist_subtract(&after->returned[i], &before->returned[i], &d->returned[i]);
	ret = flt_rates_between(&before->rows, &after->rows, &d->rows, NULL, &gone);
	if (ret) {
		lat_look_free(d);
		return ret;
	}
	/* The maximum of a row is since its birth. */
	for (i = 0; before != &nothing && i < d->rows.count; i++) {
		const struct flt_row *old = row_of(before, d->rows.row[i].id);

		if (old && old->account.latency_max >= d->rows.row[i].account.latency_max)
			d->rows.row[i].account.latency_max = 0;
	}
	flt_rates_rank(&d->rows);
	*out = d;
	return 0;
}
