// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/thread_rates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/counts/rates.h"

void flt_thread_rates_free(struct flt_thread_rates *teams)
{
	size_t i;

	for (i = 0; i < teams->count; i++)
		flt_rows_free(&teams->team[i].threads);
	free(teams->team);
	*teams = (struct flt_thread_rates){ 0 };
}

/* Where it is, or would be. */
static size_t place(const struct flt_thread_rates *teams, uint64_t id)
{
	size_t low = 0, high = teams->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (teams->team[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct flt_process_threads *find(const struct flt_thread_rates *teams, uint64_t id)
{
	size_t at = place(teams, id);

	return at < teams->count && teams->team[at].id == id ? &teams->team[at] : NULL;
}

bool flt_thread_rates_has(const struct flt_thread_rates *teams, uint64_t id)
{
	return find(teams, id);
}

int flt_thread_rates_begin(struct flt_thread_rates *teams, uint64_t id)
{
	size_t room = teams->room ? 2 * teams->room : 64, at = place(teams, id);
	struct flt_process_threads *team;

	if (find(teams, id))
		return 0;
	if (teams->count == teams->room) {
		team = reallocarray(teams->team, room, sizeof(*team));
		if (!team)
			return -ENOMEM;
		teams->team = team;
		teams->room = room;
	}
	team = &teams->team[at];
	memmove(team + 1, team, (teams->count - at) * sizeof(*team));
	*team = (struct flt_process_threads){ .id = id };
	teams->count++;
	return 0;
}

int flt_thread_rates_add(struct flt_thread_rates *teams, uint64_t id, bool torn, struct flt_rows *threads,
		   struct flt_rows *news)
{
	struct flt_process_threads *team = find(teams, id);
	bool first = !team;
	struct flt_rows changes = { 0 };
	uint64_t gone;
	size_t i;
	int ret = 0;

	if (first) {
		ret = flt_thread_rates_begin(teams, id);
		if (ret)
			return ret;
		team = find(teams, id);
	}
	flt_rates_order(threads);
	if (torn)
		ret = flt_rates_keep(threads, &team->threads);
	if (!ret && !first)
		ret = flt_rates_between(&team->threads, threads, &changes, NULL, &gone);
	for (i = 0; i < changes.count && !ret; i++)
		ret = flt_rows_add(news, &changes.row[i]);
	flt_rows_free(&changes);
	flt_rows_free(&team->threads);
	team->threads = *threads;
	*threads = (struct flt_rows){ 0 };
	return ret;
}

void flt_thread_rates_forget(struct flt_thread_rates *teams, uint64_t id)
{
	struct flt_process_threads *team = find(teams, id);

	if (!team)
		return;
	flt_rows_free(&team->threads);
	teams->count--;
	memmove(team, team + 1, (size_t)(teams->team + teams->count - team) * sizeof(*team));
}

void flt_thread_rates_keep(struct flt_thread_rates *teams, const struct flt_rows *procs)
{
	size_t i, k = 0, kept = 0;

	for (i = 0; i < teams->count; i++) {
		struct flt_process_threads *team = &teams->team[i];

		while (k < procs->count && procs->row[k].id < team->id)
			k++;
		if (k < procs->count && procs->row[k].id == team->id && !procs->row[k].ended)
			teams->team[kept++] = *team;
		else
			flt_rows_free(&team->threads);
	}
	teams->count = kept;
}
