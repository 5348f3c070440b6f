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

/* The process that had a PID of -p when fltctl started. The PID may be reused later. */
struct stats_bound {
	uint32_t tgid;
	uint64_t module_id;	/* 0: no row yet, because it did not fault */
	uint64_t kernel_id;	/* 0: ended before fltctl started */
	bool ended;
	struct flt_account last;
};

#define NO_PROCESS "invalid PID %" PRIu32 ": no such process"

void stats_snapshot_free(struct flt_snapshot *snapshot)
{
	flt_rows_free(&snapshot->rows);
}

bool stats_all_ended(const struct stats *s)
{
	size_t i;

	if (!s->args->pids.count)
		return false;
	for (i = 0; i < s->args->pids.count; i++)
		if (!s->bound[i].ended)
			return false;
	return true;
}

/* Return the row of a process. Before .module_id is known, prefer a running, newer process. */
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
		/* The process was running at the start, so an ended row is the last choice. */
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
			ret = flt_errmsg_set(e, -EINVAL, "invalid PID %" PRIu32 ": a thread of "
					     "process %" PRIu32 " (give -p %" PRIu32 " --threads)",
					     bound->tgid, tgid, tgid);
			break;
		}
		ret = flt_procfs_row(bound->tgid, 0, &row);
		if (!ret)
			bound->kernel_id = row.id;
		else if (ret == -ESRCH && s->control)
			ret = 0;
		if (ret) {
			if (ret == -ESRCH)
				flt_errmsg_set(e, ret, NO_PROCESS, bound->tgid);
			else
				flt_errmsg_errno(e, ret, "cannot read process %" PRIu32,
						 bound->tgid);
			break;
		}
		found = find_row(&rows, bound);
		if (found && !(found->ended && bound->kernel_id))
			bound->module_id = found->id;
		if (!bound->module_id && !bound->kernel_id)
			ret = flt_errmsg_set(e, -ESRCH, NO_PROCESS, bound->tgid);
	}
	flt_rows_free(&rows);
	return ret;
}

static void put_account(struct flt_snapshot *snapshot, const struct flt_account *account)
{
	flt_rates_add(&snapshot->total, account);
	snapshot->loss.missed += account->missed;
}

/* Keep the rows of the processes of -p, or the rows of their threads. */
static int pick_bound(struct stats *s, const struct flt_rows *rows, struct flt_snapshot *snapshot,
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
			/* The process did not fault yet, or its row was retired. */
			bound->ended = flt_procfs_row(bound->tgid, 0, &alive) ||
				       alive.id != bound->kernel_id;
		}
		put_account(snapshot, &bound->last);
		if (!row)
			continue;
		if (s->by != STATS_BY_THREAD) {
			ret = flt_rows_add(&snapshot->rows, row);
			continue;
		}
		/* Its number may be that of another process by now. */
		if (row->ended)
			continue;
		ret = flt_control_tasks(s->control, bound->tgid, s->args->kinds, &threads, e);
		if (ret == -ESRCH || ret == -EINTR) {
			snapshot->loss.torn |= ret == -EINTR;
			ret = 0;
		}
		for (k = 0; k < threads.count && !ret; k++)
			ret = flt_rows_add(&snapshot->rows, &threads.row[k]);
	}
	flt_rows_free(&threads);
	return ret;
}

/* Store what the probe missed since the first call, in any process. */
static void put_lost(struct stats *s, const struct flt_tally *tally, struct flt_loss *loss)
{
	if (!s->lost_known) {
		s->lost_known = true;
		s->lost_busy = tally->lost_busy;
		s->lost_full = tally->lost_full;
	}
	loss->lost_busy = tally->lost_busy - s->lost_busy;
	loss->lost_full = tally->lost_full - s->lost_full;
}

int stats_lost_begin(struct stats *s, struct flt_errmsg *e)
{
	struct flt_loss nothing;
	struct flt_tally tally;
	int ret = flt_control_tally(s->control, &tally, e);

	if (!ret)
		put_lost(s, &tally, &nothing);
	return ret;
}

static int read_session(struct stats *s, struct flt_snapshot *snapshot, struct flt_errmsg *e)
{
	struct flt_session session;
	struct flt_tally tally;
	int ret;

	ret = flt_control_procs(s->control, s->session, true, &snapshot->rows, e);
	if (ret == -EINTR) {
		snapshot->loss.torn = true;
		ret = 0;
	}
	if (!ret)
		ret = flt_control_session(s->control, s->session, true, &session, e);
	if (!ret)
		ret = flt_control_tally(s->control, &tally, e);
	if (ret)
		return ret;
	put_lost(s, &tally, &snapshot->loss);
	put_account(snapshot, &session.account);
	snapshot->processes = session.procs;
	snapshot->loss.untracked = session.untracked;
	return 0;
}

static int read_module(struct stats *s, struct flt_snapshot *snapshot, struct flt_errmsg *e)
{
	bool kinds = s->args->kinds || s->by == STATS_BY_KIND;
	bool by_pid = s->args->pids.count > 0;
	struct flt_rows rows = { 0 };
	struct flt_tally tally;
	size_t i;
	int ret;

	if (s->session)
		return read_session(s, snapshot, e);

	/*
	 * Read the sums before the rows. A row that is retired in between is in neither, and is
	 * added to the "(other)" row of the next report.
	 */
	ret = flt_control_tally(s->control, &tally, e);
	if (ret)
		return ret;
	if (by_pid || s->members || s->by == STATS_BY_PROCESS || s->by == STATS_BY_CGROUP) {
		ret = flt_control_procs(s->control, 0, kinds, &rows, e);
		if (ret == -EINTR) {
			snapshot->loss.torn = true;
			ret = 0;
		}
		if (ret)
			goto out;
	}
	if (by_pid || s->members)
		put_lost(s, &tally, &snapshot->loss);
	if (by_pid) {
		ret = pick_bound(s, &rows, snapshot, e);
		if (s->by == STATS_BY_THREAD)
			snapshot->loss.lost_task = tally.lost_task;
		goto out;
	}
	if (s->members) {
		ret = flt_members_pick(s->members, &rows, snapshot->loss.torn);
		if (ret)
			goto out;
		for (i = 0; i < rows.count; i++)
			put_account(snapshot, &rows.row[i].account);
		snapshot->loss.forgotten = tally.procs_retired;
		snapshot->loss.unplaced = flt_members_unplaced(s->members);
		snapshot->rows = rows;
		return 0;
	}
	snapshot->total = tally.all;
	snapshot->loss.missed = tally.all.missed;
	snapshot->loss.lost_busy = tally.lost_busy;
	snapshot->loss.lost_full = tally.lost_full;
	snapshot->loss.forgotten = tally.forgotten;
	if (s->by == STATS_BY_PROCESS || s->by == STATS_BY_CGROUP) {
		snapshot->loss.lost_proc = tally.lost_proc;
		s->other = tally.other;
		flt_rates_add(&s->other, &tally.retired);
		snapshot->rows = rows;
		return 0;
	}
out:
	flt_rows_free(&rows);
	return ret;
}

static int read_bound_procfs(struct stats *s, struct flt_snapshot *snapshot)
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
			/* Its faults since the last snapshot are unknown. */
			if (!bound->ended)
				s->vanished++;
			bound->ended = true;
			put_account(snapshot, &bound->last);
			ret = 0;
			continue;
		}
		if (ret)
			break;
		/* The counts of a zombie can be read and are final. */
		bound->ended = row.ended;
		bound->last = row.account;
		put_account(snapshot, &row.account);
		if (s->by != STATS_BY_THREAD) {
			ret = flt_rows_add(&snapshot->rows, &row);
			continue;
		}
		ret = flt_procfs_threads(bound->tgid, &threads);
		if (ret == -ESRCH)
			ret = 0;
		for (k = 0; k < threads.count && !ret; k++)
			ret = flt_rows_add(&snapshot->rows, &threads.row[k]);
	}
	flt_rows_free(&threads);
	snapshot->loss.vanished = s->vanished;
	return ret;
}

static int read_kernel(struct stats *s, struct flt_snapshot *snapshot)
{
	size_t i;
	int ret;

	if (s->perf)
		return flt_perf_read(s->perf, &snapshot->total.minor, &snapshot->total.major);
	if (s->by == STATS_BY_MACHINE)
		return flt_procfs_machine(&snapshot->total);
	if (s->args->pids.count)
		return read_bound_procfs(s, snapshot);
	ret = flt_procfs_rows(&snapshot->rows);
	for (i = 0; i < snapshot->rows.count && !ret; i++)
		put_account(snapshot, &snapshot->rows.row[i].account);
	return ret;
}

int stats_snapshot(struct stats *s, struct flt_snapshot *snapshot, struct flt_errmsg *e)
{
	int ret;

	*snapshot = (struct flt_snapshot){ 0 };
	ret = s->control ? read_module(s, snapshot, e) : read_kernel(s, snapshot);
	snapshot->now = flt_clock_ns(CLOCK_MONOTONIC);
	if (ret) {
		stats_snapshot_free(snapshot);
		return ret;
	}
	flt_rates_order(&snapshot->rows);
	return 0;
}
