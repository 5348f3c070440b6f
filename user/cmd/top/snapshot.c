// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/clock.h"
#include "cmd/top/top.h"
#include "model/counts/rates.h"
#include "model/counts/thread_rates.h"
#include "observe/cgroups.h"
#include "source/proc/procfs.h"

/* Number of processes whose threads are read per snapshot, those with the most faults. */
#define THREADS_OF 256
/* The same for the first snapshot, which only is the base of the next one. */
#define FIRST_THREADS_OF 4096

#define BIT_OF(key) (1u << FLT_RANK_##key)
#define COUNTS (BIT_OF(PID) | BIT_OF(COMM) | BIT_OF(MINOR) | BIT_OF(MAJOR))
#define MODULE_COUNTS (COUNTS | BIT_OF(FAILED) | BIT_OF(TIME))

static bool wanted(const struct top *t, uint32_t tgid)
{
	size_t i;

	for (i = 0; i < t->args->pids.count; i++)
		if (t->args->pids.id[i] == tgid)
			return true;
	return !t->args->pids.count;
}

/* Return true if only some processes are shown. */
static bool is_limited(const struct top *t)
{
	return t->members || t->args->pids.count;
}

/*
 * /proc does not tell what a process did between the last snapshot and its end. The counts of a
 * zombie are final.
 */
static void count_vanished(struct top *t, const struct flt_rows *rows)
{
	size_t i;

	for (i = 0; i < t->procs.count; i++)
		t->vanished += wanted(t, t->procs.row[i].tgid) && !t->procs.row[i].ended &&
			       !flt_rates_find(rows, t->procs.row[i].id);
}

/* Replace the last rows by new ones. news receives the differences. */
static int changes(struct top *t, struct flt_rows *rows, bool torn, struct flt_rows *news)
{
	struct flt_rows *last = &t->procs;
	uint64_t gone;
	int ret = 0;

	flt_rates_order(rows);
	if (!t->control)
		count_vanished(t, rows);
	if (torn)
		ret = flt_rates_keep(rows, last);
	if (!ret)
		ret = flt_rates_between(last, rows, news, NULL, &gone);
	flt_rows_free(last);
	*last = *rows;
	*rows = (struct flt_rows){ 0 };
	return ret;
}

/* Return true if the process started after the last snapshot, judged by its counts. */
static bool is_new(const struct top *t, const struct flt_row *changes)
{
	const struct flt_row *row = flt_rates_find(&t->procs, changes->id);

	return row && !(t->members && flt_members_joined(t->members, row->id)) &&
	       flt_rates_ended(&row->account) == flt_rates_ended(&changes->account);
}

/*
 * Read RSS and bytes read from storage. The bytes of the interval are known for processes
 * that were read at its start, because they faulted before, and for new processes.
 */
static void fill_memory(struct top *t, struct flt_rank *r, const struct flt_row *row,
			struct flt_rows *reads)
{
	struct flt_row now = { .id = row->id };
	const struct flt_row *before = flt_rates_find(&t->reads, row->id);
	uint64_t bytes, then = before ? before->account.minor : 0;

	if (flt_procfs_memory(r->pid, r->tid, &r->rss, &bytes))
		return;
	r->known |= BIT_OF(RSS);
	if (bytes == FLT_PROCFS_UNKNOWN)
		return;
	if (before || (!row->tid && row->whole && is_new(t, row))) {
		r->known |= BIT_OF(READ);
		r->read = bytes > then ? bytes - then : 0;
	}
	now.account.minor = bytes;
	flt_rows_add(reads, &now);
}

/* Name the cgroup of a process, by its container or service if there is one. */
static void name_cgroup(struct top *t, struct flt_rank *r, const struct flt_row *row)
{
	char container[FLT_CONTAINER_NAME];
	struct flt_cgroup_name name;

	/* Without cgroup2, the process is in a cgroup of the first hierarchy. */
	if (!t->cgroups && flt_cgroups_open(&t->cgroups, t->control, NULL))
		t->cgroups = NULL;
	if (t->cgroups && row->cgroup) {
		flt_cgroups_name(t->cgroups, row->cgroup, &name);
		snprintf(r->name, sizeof(r->name), "%s", name.name);
	} else if (flt_procfs_cgroup(r->pid, r->name, sizeof(r->name))) {
		strcpy(r->name, "(ended)");
	} else if (flt_container_name(r->name, container)) {
		strcpy(r->name, container);
	}
}

static int rank_rows(struct top *t, const struct flt_rows *news)
{
	struct flt_rows reads = { 0 };
	struct flt_rank *r;
	size_t i;

	for (i = 0; i < news->count; i++) {
		const struct flt_row *row = &news->row[i];

		if (!wanted(t, row->tgid))
			continue;
		r = flt_ranking_add(&t->ranking, &row->account,
				    t->control ? MODULE_COUNTS : COUNTS);
		if (!r)
			return -ENOMEM;
		r->pid = row->tgid;
		r->tid = row->tid;
		r->known |= row->tid ? BIT_OF(TID) : 0;
		flt_rank_settle(r);
		memcpy(r->name, row->comm, sizeof(row->comm));
		if (!row->ended)
			fill_memory(t, r, row, &reads);
		if (r->major)
			top_files_most(t, r->pid, r->file);
		if (t->view == TOP_CGROUP)
			name_cgroup(t, r, row);
	}
	flt_rates_order(&reads);
	flt_rows_free(&t->reads);
	t->reads = reads;
	return 0;
}

static int read_procs(struct top *t, struct flt_rows *news, struct flt_errmsg *e)
{
	struct flt_rows rows = { 0 };
	size_t i;
	int ret;

	ret = t->control ? flt_control_procs(t->control, 0, true, &rows, e) :
			   flt_procfs_rows(&rows);
	if (t->members && (!ret || ret == -EINTR) && flt_members_pick(t->members, &rows, ret))
		ret = -ENOMEM;
	if (!ret || ret == -EINTR)
		ret = changes(t, &rows, ret, news);
	flt_rows_free(&rows);
	if (ret || (t->control && !is_limited(t)))
		return ret;
	for (i = 0; i < news->count; i++)
		if (wanted(t, news->row[i].tgid))
			flt_rates_add(&t->total, &news->row[i].account);
	t->missed += t->taken ? t->total.missed : 0;
	return 0;
}

/* Read the threads of a process. TIDs are reused, so the row id includes the TGID. */
static int read_team(struct top *t, const struct flt_row *proc, struct flt_rows *news,
		     struct flt_errmsg *e)
{
	struct flt_rows threads = { 0 };
	size_t i;
	int ret;

	ret = t->control ? flt_control_tasks(t->control, proc->tgid, true, &threads, e) :
			   flt_procfs_threads(proc->tgid, &threads);
	for (i = 0; i < threads.count; i++)
		threads.row[i].id = (uint64_t)threads.row[i].tgid << 32 | threads.row[i].tid;
	if (!ret || ret == -EINTR)
		ret = flt_thread_rates_add(&t->thread_rates, proc->id, ret, &threads, news);
	flt_rows_free(&threads);
	return ret == -ESRCH ? 0 : ret;
}

/*
 * Read threads of processes that faulted, then of others, as a base for later snapshots.
 * Sorts procs.
 */
static int read_threads(struct top *t, bool first, struct flt_rows *procs, struct flt_rows *news,
			struct flt_errmsg *e)
{
	size_t i, looks = 0, most = first ? FIRST_THREADS_OF : THREADS_OF;
	int ret = 0;

	if (first)
		flt_thread_rates_free(&t->thread_rates);
	flt_thread_rates_keep(&t->thread_rates, &t->procs);
	flt_rates_rank(procs);
	for (i = 0; i < procs->count && !ret; i++) {
		const struct flt_row *proc = &procs->row[i];

		if (!wanted(t, proc->tgid))
			continue;
		/*
		 * The module drops the threads of a process when it ends. In /proc a process with
		 * threads looks ended when its main thread has ended.
		 */
		t->vanished += !first && proc->ended && (t->control || proc->threads <= 1);
		if (proc->ended)
			continue;
		if (looks == most) {
			flt_thread_rates_forget(&t->thread_rates, proc->id);
			t->left_out += !first;
			continue;
		}
		looks++;
		if (!first && is_new(t, proc))
			ret = flt_thread_rates_begin(&t->thread_rates, proc->id);
		t->left_out += !first && !flt_thread_rates_has(&t->thread_rates, proc->id);
		if (!ret)
			ret = read_team(t, proc, news, e);
	}
	for (i = 0; i < t->procs.count && looks < most && !ret; i++) {
		const struct flt_row *proc = &t->procs.row[i];

		if (proc->ended || !wanted(t, proc->tgid) ||
		    flt_thread_rates_has(&t->thread_rates, proc->id))
			continue;
		looks++;
		ret = read_team(t, proc, news, e);
	}
	return ret;
}

/* Rank the kinds of the processes of -p or --cgroup. Their latency per kind is not counted. */
static int rank_own_kinds(struct top *t)
{
	struct flt_rank *r;
	uint32_t kind;

	for (kind = 0; kind < __FLT_KIND_MAX; kind++) {
		struct flt_account account = { .minor = t->total.kinds[kind] };

		if (kind == FLT_KIND_UNKNOWN)
			account.minor += t->total.kinds_beyond;
		if (!account.minor)
			continue;
		r = flt_ranking_add(&t->ranking, &account, BIT_OF(COMM) | BIT_OF(FAULTS));
		if (!r)
			return -ENOMEM;
		strcpy(r->name, flt_kind_name(kind));
	}
	return 0;
}

static int rank_kinds(struct top *t, const struct flt_latencies *list, bool show)
{
	struct flt_hist *now = calloc(2 * __FLT_KIND_MAX, sizeof(*now)), news;
	struct flt_rank *r;
	uint32_t kind, major, o;
	size_t i;

	if (!now)
		return -ENOMEM;
	for (i = 0; i < list->count; i++) {
		kind = list->latency[i].kind < __FLT_KIND_MAX ? list->latency[i].kind : 0;
		flt_hist_buckets(&now[list->latency[i].major * __FLT_KIND_MAX + kind],
				 list->latency[i].buckets);
	}
	for (kind = 0; kind < __FLT_KIND_MAX && t->kinds && show; kind++) {
		struct flt_account account = { 0 };
		struct flt_hist both = { 0 };

		for (major = 0; major < 2; major++) {
			i = major * __FLT_KIND_MAX + kind;
			flt_hist_subtract(&now[i], &t->kinds[i], &news);
			*(major ? &account.major : &account.minor) = flt_hist_total(&news);
			flt_hist_add(&both, &news);
		}
		if (!account.minor && !account.major)
			continue;
		account.latency_sum = flt_hist_mean(&both) * flt_hist_total(&both);
		for (o = 0; o < FLT_OCTAVES; o++)
			account.octaves[o] = flt_hist_octave(&both, o);
		r = flt_ranking_add(&t->ranking, &account, BIT_OF(COMM) | BIT_OF(MINOR) |
				    BIT_OF(MAJOR) | BIT_OF(TIME) | BIT_OF(P99));
		if (!r) {
			free(now);
			return -ENOMEM;
		}
		strcpy(r->name, flt_kind_name(kind));
		r->p99 = flt_hist_percentile(&both, 99000);
	}
	free(t->kinds);
	t->kinds = now;
	return 0;
}

static int read_machine(struct top *t, struct flt_errmsg *e)
{
	struct flt_latencies list = { 0 };
	struct flt_tally tally;
	int ret;

	ret = flt_control_tally(t->control, &tally, e);
	if (ret)
		return ret;
	flt_rates_subtract(&tally.all, &t->tally.all, &t->total);
	if (!t->taken) {
		t->missed_before = tally.all.missed;
		t->calls_before = tally.lost_busy + tally.lost_full;
	}
	t->missed = tally.all.missed - t->missed_before;
	t->calls = tally.lost_busy + tally.lost_full - t->calls_before;
	t->tally = tally;
	if (t->view != TOP_KIND)
		return 0;
	ret = flt_control_latency(t->control, false, &list, e);
	if (!ret)
		ret = rank_kinds(t, &list, t->taken && t->taken_view == t->view);
	free(list.latency);
	return ret;
}

/* Read processes or threads. The first snapshot of threads is not shown, only their changes. */
static int read_rows(struct top *t, struct flt_errmsg *e)
{
	struct flt_rows news = { 0 }, threads = { 0 };
	bool first = !t->taken;
	int ret;

	/* These rows are older, or of threads instead of processes. */
	if (t->taken_view != t->view)
		flt_rows_free(&t->reads);
	ret = read_procs(t, &news, e);
	if (!ret && t->view == TOP_THREAD) {
		first |= t->taken_view != TOP_THREAD;
		ret = read_threads(t, first, &news, &threads, e);
	}
	if (!ret && !first && t->view == TOP_KIND && is_limited(t))
		ret = rank_own_kinds(t);
	if (!ret && !first && t->view != TOP_FILE && t->view != TOP_KIND)
		ret = rank_rows(t, t->view == TOP_THREAD ? &threads : &news);
	flt_rows_free(&news);
	flt_rows_free(&threads);
	return ret;
}

int top_snapshot(struct top *t, struct flt_errmsg *e)
{
	uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	struct flt_rank whole = { 0 };
	int ret = 0;

	if (t->cgroups)
		flt_cgroups_round(t->cgroups);
	t->ranking.count = 0;
	t->left_out = 0;
	t->total = (struct flt_account){ 0 };
	if (t->files)
		ret = top_files_catch_up(t, e);
	if (!ret)
		ret = top_files_lost(t, e);
	if (!ret && t->control && !is_limited(t))
		ret = read_machine(t, e);
	if (!ret)
		ret = read_rows(t, e);
	if (!ret && t->view == TOP_FILE && t->taken)
		ret = top_files_rows(t);
	if (ret)
		return ret;
	top_files_forget(t);
	if (t->view == TOP_CGROUP)
		flt_ranking_join(&t->ranking);
	memcpy(whole.octaves, t->total.octaves, sizeof(whole.octaves));
	flt_rank_settle(&whole);
	t->total_p99 = whole.p99;
	t->ns = t->taken ? now - t->taken : 0;
	t->taken = now;
	t->taken_view = t->view;
	t->partial |= t->left_out > 0;
	return 0;
}

void top_arrange(struct top *t)
{
	int last;

	flt_ranking_search(&t->ranking, t->filter);
	flt_ranking_sort(&t->ranking, t->sort, t->reverse);
	last = (int)t->ranking.shown - t->room;
	if (t->scroll > last)
		t->scroll = last;
	if (t->scroll < 0)
		t->scroll = 0;
}

void top_snapshot_free(struct top *t)
{
	flt_rows_free(&t->procs);
	flt_rows_free(&t->reads);
	flt_thread_rates_free(&t->thread_rates);
	flt_ranking_free(&t->ranking);
	flt_cgroups_close(t->cgroups);
	free(t->kinds);
}
