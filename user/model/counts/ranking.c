// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/ranking.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flt_rank *flt_ranking_add(struct flt_ranking *ranking, const struct flt_account *account,
				 uint32_t known)
{
	size_t room = ranking->room ? ranking->room * 2 : 64;
	struct flt_rank *rank;

	if (ranking->count == ranking->room) {
		rank = reallocarray(ranking->rank, room, sizeof(*rank));
		if (!rank)
			return NULL;
		ranking->rank = rank;
		ranking->room = room;
	}
	rank = &ranking->rank[ranking->count++];
	ranking->shown = ranking->count;
	*rank = (struct flt_rank){
		.minor = account->minor,
		.major = account->major,
		.failed = account->failed,
		.time = account->latency_sum,
		.known = known,
	};
	memcpy(rank->octaves, account->octaves, sizeof(rank->octaves));
	return rank;
}

void flt_ranking_free(struct flt_ranking *ranking)
{
	free(ranking->rank);
	*ranking = (struct flt_ranking){ 0 };
}

void flt_rank_merge(struct flt_rank *rank, const struct flt_rank *more)
{
	size_t i;

	/* Keep the file of the row with more major faults. */
	if (more->major > rank->major)
		memcpy(rank->file, more->file, sizeof(rank->file));
	rank->minor += more->minor;
	rank->major += more->major;
	rank->failed += more->failed;
	rank->time += more->time;
	rank->rss += more->rss;
	rank->read += more->read;
	rank->known |= more->known;
	for (i = 0; i < FLT_OCTAVES; i++)
		rank->octaves[i] += more->octaves[i];
}

void flt_rank_settle(struct flt_rank *rank)
{
	rank->p99 = flt_hist_octaves_percentile(rank->octaves, 99000);
	if (rank->p99)
		rank->known |= 1u << FLT_RANK_P99;
}

struct order {
	enum flt_rank_key key;
	bool reverse;
};

static uint64_t number(const struct flt_rank *r, enum flt_rank_key key)
{
	switch (key) {
	case FLT_RANK_PID:
		return r->pid;
	case FLT_RANK_TID:
		return r->tid;
	case FLT_RANK_MINOR:
		return r->minor;
	case FLT_RANK_MAJOR:
		return r->major;
	case FLT_RANK_FAULTS:
		return r->minor + r->major;
	case FLT_RANK_FAILED:
		return r->failed;
	case FLT_RANK_P99:
		return r->p99;
	case FLT_RANK_TIME:
		return r->time;
	case FLT_RANK_RSS:
		return r->rss;
	case FLT_RANK_READ:
		return r->read;
	default:
		return 0;
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct flt_rank *x = a, *y = b;
	const struct order *order = arg;
	uint64_t nx = number(x, order->key), ny = number(y, order->key);
	int ret = (nx < ny) - (nx > ny);

	if (order->key == FLT_RANK_COMM)
		ret = strcmp(x->name, y->name);
	/* Rows without a file come last. */
	if (order->key == FLT_RANK_FILE)
		ret = !*x->file != !*y->file ? (*x->file ? -1 : 1) : strcmp(x->file, y->file);
	if (ret)
		return order->reverse ? -ret : ret;
	nx = x->minor + x->major + x->failed;
	ny = y->minor + y->major + y->failed;
	if (nx != ny)
		return nx < ny ? 1 : -1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return strcmp(x->name, y->name);
}

void flt_ranking_sort(struct flt_ranking *ranking, enum flt_rank_key key, bool reverse)
{
	struct order order = { key, reverse };

	if (ranking->shown)
		qsort_r(ranking->rank, ranking->shown, sizeof(*ranking->rank), compare, &order);
}

static bool holds(const struct flt_rank *r, const char *text)
{
	char pid[16], tid[16];

	snprintf(pid, sizeof(pid), "%" PRIu32, r->pid);
	snprintf(tid, sizeof(tid), "%" PRIu32, r->tid);
	return strcasestr(r->name, text) || strcasestr(r->file, text) ||
	       (r->pid && !strcmp(pid, text)) || (r->tid && !strcmp(tid, text));
}

void flt_ranking_search(struct flt_ranking *ranking, const char *text)
{
	struct flt_rank *rank = ranking->rank, other;
	size_t i, shown = 0;

	for (i = 0; i < ranking->count; i++) {
		if (text && *text && !holds(&rank[i], text))
			continue;
		if (shown != i) {
			other = rank[shown];
			rank[shown] = rank[i];
			rank[i] = other;
		}
		shown++;
	}
	ranking->shown = shown;
}

void flt_ranking_join(struct flt_ranking *ranking)
{
	size_t i, kept = 0;

	flt_ranking_sort(ranking, FLT_RANK_COMM, false);
	for (i = 0; i < ranking->count; i++) {
		struct flt_rank *r = &ranking->rank[i];

		if (kept && !strcmp(ranking->rank[kept - 1].name, r->name))
			flt_rank_merge(&ranking->rank[kept - 1], r);
		else if (kept++ != i)
			ranking->rank[kept - 1] = *r;
	}
	ranking->count = ranking->shown = kept;
	for (i = 0; i < kept; i++)
		flt_rank_settle(&ranking->rank[i]);
}
