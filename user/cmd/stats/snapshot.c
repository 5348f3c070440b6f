// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/clock.h"
#include "cmd/stats/stats.h"
#include "model/counts/rates.h"
#include "source/netlink/control.h"
#include "source/perf/perf.h"
#include "source/proc/procfs.h"

/*
 * The process a -p means: the one that had the pid when fltctl began, even when
 * the pid is another's by the next look.
 */
struct stats_bound {
	uint32_t tgid;
	uint64_t module_id;	/* 0: no row yet, it did not fault */
	uint64_t kernel_id;	/* 0: had ended before we looked */
	bool ended;
	struct flt_account last;
};

void stats_look_free(struct flt_look *look)
{
	flt_rows_free(&look->rows);
}

bool stats_look_over(const struct stats *s, const struct flt_look *look)
{
	size_t i;

	(void)look;
	if (!s->args->pids.count)
		return false;
	for (i = 0; i < s->args->pids.count; i++)
		if (!s->bound[i].ended)
			return false;
	return true;
}

/* Of several rows with a pid, the process that has it now, else the last that had. */
static const struct flt_row *find_row(const struct flt_rows *rows, const struct stats_bound *bound)
{
	const struct flt_row *best = NULL, *row;
	size_t i;

	for (i = 0; i < rows->count; i++) {
		row = &rows->row[i];
		if (row->tgid != bound->tgid)
			continue;
		if (bound->module_id) {
			if (row->id == bound->module_id)
				return row;
			continue;
		}
		/* Alive when we began: an ended row is not its, unless nothing else is. */
		if (!best || (best->ended && !row->ended) ||
		    (best->ended == row->ended && row->id > best->id))
			best = row;
	}
	return best;
}

int stats_bind(struct stats *s, struct flt_errmsg *e)
{
	size_t i, count = s->args->pids.count;
	struct flt_rows rows = { 0 };
	const struct flt_row *found;
	struct flt_row row;
	uint32_t tgid;
	int ret = 0;

	if (!count)
		return 0;
	s->bound = calloc(count, sizeof(*s->bound));
	if (!s->bound)
		return -ENOMEM;
	if (s->control)
		ret = flt_control_procs(s->control, 0, false, &rows, e);
	if (ret == -EINTR)
		ret = 0;
	for (i = 0; i < count && !ret; i++) {
		struct stats_bound *bound = &s->bound[i];

		bound->tgid = s->args->pids.id[i];
		if (!flt_procfs_process_of(bound->tgid, &tgid) && tgid != bound->tgid) {
			ret = flt_errmsg_set(e, -EINVAL, "%" PRIu32 " is a thread of process %"
					     PRIu32 "; use -p %" PRIu32 " --threads", bound->tgid,
					     tgid, tgid);
			break;
		}
		ret = flt_procfs_row(bound->tgid, 0, &row);
		if (!ret)
			bound->kernel_id = row.id;
		else if (ret == -ESRCH && s->control)
			ret = 0;
		if (ret) {
			flt_errmsg_errno(e, ret, "process %" PRIu32, bound->tgid);
			break;
		}
		found = find_row(&rows, bound);
		if (found && !(found->ended && bound->kernel_id))
			bound->module_id = found->id;
		if (!bound->module_id && !bound->kernel_id)
			ret = flt_errmsg_set(e, -ESRCH, "there is no process %" PRIu32,
					     bound->tgid);
	}
	flt_rows_free(&rows);
	return ret;
}

static void put_account(struct flt_look *look, const struct flt_account *account)
{
	flt_rates_add(&look->total, account);
	look->loss.missed += account->missed;
}

/* Keeps, of a whole dump, the rows that were asked for by pid. */
static int pick_bound(struct stats *s, const struct flt_rows *rows, struct flt_look *look,
		      struct flt_errmsg *e)
{
	struct flt_rows threads = { 0 };
	const struct flt_row *row;
	struct flt_row alive;
	size_t i, k;
	int ret = 0;

	for (i = 0; i < s->args->pids.count && !ret; i++) {
		struct stats_bound *bound = &s->bound[i];

		row = find_row(rows, bound);
		if (row) {
			bound->module_id = row->id;
			bound->ended = row->ended;
			bound->last = row->account;
		} else if (!bound->ended) {
			/* No row: it did not fault yet, or its row was retired. */
			bound->ended = flt_procfs_row(bound->tgid, 0, &alive) ||
				       alive.id != bound->kernel_id;
		}
		put_account(look, &bound->last);
		if (!row)
			continue;
		if (s->by != STATS_BY_THREAD) {
			ret = flt_rows_add(&look->rows, row);
			continue;
		}
		ret = flt_control_tasks(s->control, bound->tgid, s->args->kinds, &threads, e);
		if (ret == -ESRCH || ret == -EINTR) {
			look->loss.torn |= ret == -EINTR;
			ret = 0;
		}
		for (k = 0; k < threads.count && !ret; k++)
			ret = flt_rows_add(&look->rows, &threads.row[k]);
	}
	flt_rows_free(&threads);
	return ret;
}

static int look_session(struct stats *s, struct flt_look *look, struct flt_errmsg *e)
{
	struct flt_session session;
	int ret;

	ret = flt_control_procs(s->control, s->session, true, &look->rows, e);
	if (ret == -EINTR) {
		look->loss.torn = true;
		ret = 0;
	}
	if (!ret)
		ret = flt_control_session(s->control, s->session, true, &session, e);
	if (ret)
		return ret;
	put_account(look, &session.account);
	look->loss.untracked = session.untracked;
	return 0;
}

static int look_module(struct stats *s, struct flt_look *look, struct flt_errmsg *e)
{
	bool kinds = s->args->kinds || s->by == STATS_BY_KIND;
	bool by_pid = s->args->pids.count > 0;
	struct flt_rows rows = { 0 };
	struct flt_tally tally;
	int ret;

	if (s->session)
		return look_session(s, look, e);

	/*
	 * The sums first: a row that is retired between the two looks is then in
	 * neither, and shows up among the others at the next.
	 */
	ret = flt_control_tally(s->control, &tally, e);
	if (ret)
		return ret;
	if (by_pid || s->by == STATS_BY_PROCESS) {
		ret = flt_control_procs(s->control, 0, kinds, &rows, e);
		if (ret == -EINTR) {
			look->loss.torn = true;
			ret = 0;
		}
		if (ret)
			goto out;
	}
	if (by_pid) {
		ret = pick_bound(s, &rows, look, e);
		if (s->by == STATS_BY_THREAD)
			look->loss.lost_task = tally.lost_task;
		goto out;
	}
	look->total = tally.all;
	look->loss.missed = tally.all.missed;
	look->loss.lost_busy = tally.lost_busy;
	look->loss.lost_full = tally.lost_full;
	if (s->by == STATS_BY_PROCESS) {
		look->loss.lost_proc = tally.lost_proc;
		s->other = tally.other;
		flt_rates_add(&s->other, &tally.retired);
		look->rows = rows;
		return 0;
	}
out:
	flt_rows_free(&rows);
	return ret;
}

static int look_bound_kernel(struct stats *s, struct flt_look *look)
{
	struct flt_rows threads = { 0 };
	struct flt_row row;
	size_t i, k;
	int ret = 0;

	for (i = 0; i < s->args->pids.count && !ret; i++) {
		struct stats_bound *bound = &s->bound[i];

		ret = bound->ended ? -ESRCH : flt_procfs_row(bound->tgid, 0, &row);
		if (!ret && row.id != bound->kernel_id)
			ret = -ESRCH;
		if (ret == -ESRCH) {
			/* What it did since the last look nobody knows. */
			if (!bound->ended)
				s->vanished++;
			bound->ended = true;
			put_account(look, &bound->last);
			ret = 0;
			continue;
		}
		if (ret)
			break;
		/* A zombie's counts are final, and still there to be read. */
		bound->ended = row.ended;
		bound->last = row.account;
		put_account(look, &row.account);
		if (s->by != STATS_BY_THREAD) {
			ret = flt_rows_add(&look->rows, &row);
			continue;
		}
		ret = flt_procfs_threads(bound->tgid, &threads);
		if (ret == -ESRCH)
			ret = 0;
		for (k = 0; k < threads.count && !ret; k++)
			ret = flt_rows_add(&look->rows, &threads.row[k]);
	}
	flt_rows_free(&threads);
	look->loss.vanished = s->vanished;
	return ret;
}

static int look_kernel(struct stats *s, struct flt_look *look)
{
	size_t i;
	int ret;

	if (s->perf)
		return flt_perf_read(s->perf, &look->total.minor, &look->total.major);
	if (s->by == STATS_BY_MACHINE)
		return flt_procfs_machine(&look->total);
	if (s->args->pids.count)
		return look_bound_kernel(s, look);
	ret = flt_procfs_rows(&look->rows);
	for (i = 0; i < look->rows.count && !ret; i++)
		put_account(look, &look->rows.row[i].account);
	return ret;
}

int stats_look(struct stats *s, struct flt_look *look, struct flt_errmsg *e)
{
	int ret;

	*look = (struct flt_look){ 0 };
	ret = s->control ? look_module(s, look, e) : look_kernel(s, look);
	look->now = flt_clock_ns(CLOCK_MONOTONIC);
	if (ret) {
		stats_look_free(look);
		return ret;
	}
	flt_rates_order(&look->rows);
	return 0;
}
