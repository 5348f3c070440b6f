// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/counts/rates.h"
#include "source/proc/cgroup.h"

struct flt_members {
	struct flt_cgroup_tree *tree;
	uint64_t id;
	char *path;
	/* Of the last round, sorted by ID. */
	struct flt_rows others;	/* processes that were no members */
	struct flt_rows joined;	/* members that joined later, as they were when they joined */
	bool begun;
	uint64_t unplaced;
};

static int find_path(struct flt_members *m, const char *directory, struct flt_errmsg *e)
{
	const char *path;
	int ret = flt_cgroup_id(directory, &m->id, e);

	if (!ret)
		ret = flt_cgroup_tree_new(&m->tree, e);
	if (ret)
		return ret;
	path = flt_cgroup_tree_path(m->tree, m->id);
	if (!path)
		return flt_errmsg_set(e, -ENOENT, "invalid cgroup '%s': it is not below the first "
				      "mount of cgroup2", directory);
	m->path = strdup(path);
	return m->path ? 0 : -ENOMEM;
}

int flt_members_open(struct flt_members **members, const char *directory, struct flt_errmsg *e)
{
	struct flt_members *m = calloc(1, sizeof(*m));
	int ret = m ? find_path(m, directory, e) : -ENOMEM;

	if (ret) {
		flt_members_close(m);
		return ret;
	}
	*members = m;
	return 0;
}

void flt_members_close(struct flt_members *m)
{
	if (!m)
		return;
	flt_rows_free(&m->others);
	flt_rows_free(&m->joined);
	flt_cgroup_tree_free(m->tree);
	free(m->path);
	free(m);
}

uint64_t flt_members_id(const struct flt_members *m)
{
	return m->id;
}

uint64_t flt_members_unplaced(const struct flt_members *m)
{
	return m->unplaced;
}

static bool is_member(struct flt_members *m, const struct flt_row *row)
{
	const char *path = flt_cgroup_tree_last_path(m->tree, row->cgroup);

	if (path)
		return flt_cgroup_tree_holds(m->path, path);
	/* A process without a path that is new: its cgroup came and went since the last round. */
	m->unplaced += m->begun && row->cgroup && !flt_rates_find(&m->others, row->id);
	return false;
}

/* Subtract what a member had before it joined. */
static int take_member(const struct flt_members *m, struct flt_row *row, struct flt_rows *joined)
{
	/* Others first: after a torn round, the row of one that joined may be older. */
	const struct flt_row *then = flt_rates_find(&m->others, row->id);
	struct flt_account account;

	if (!then)
		then = flt_rates_find(&m->joined, row->id);
	if (!then)
		return 0;
	flt_rates_subtract(&row->account, &then->account, &account);
	/* The maximum of the process is not known to be that of the member, unless it grew. */
	if (account.latency_max <= then->account.latency_max)
		account.latency_max = 0;
	row->account = account;
	return flt_rows_add(joined, then);
}

static int pick_rows(struct flt_members *m, struct flt_rows *rows, struct flt_rows *others,
		     struct flt_rows *joined)
{
	size_t i, kept = 0;
	int ret = 0;

	flt_cgroup_tree_round(m->tree);
	for (i = 0; !ret && i < rows->count; i++) {
		struct flt_row *row = &rows->row[i];

		if (!is_member(m, row)) {
			ret = flt_rows_add(others, row);
			continue;
		}
		ret = take_member(m, row, joined);
		rows->row[kept++] = *row;
	}
	rows->count = kept;
	flt_rates_order(rows);
	flt_rates_order(others);
	flt_rates_order(joined);
	return ret;
}

bool flt_members_joined(const struct flt_members *m, uint64_t id)
{
	return flt_rates_find(&m->joined, id);
}

int flt_members_pick(struct flt_members *m, struct flt_rows *rows, bool torn)
{
	struct flt_rows others = { 0 }, joined = { 0 };
	int ret = pick_rows(m, rows, &others, &joined);

	/* A torn snapshot lacks rows. Keep what is known of their processes. */
	if (!ret && torn)
		ret = flt_rates_keep(&joined, &m->joined);
	if (!ret && torn)
		ret = flt_rates_keep(&others, &m->others);
	flt_rows_free(&m->others);
	flt_rows_free(&m->joined);
	m->others = others;
	m->joined = joined;
	m->begun = true;
	return ret;
}
