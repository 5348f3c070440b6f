// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/counts/rates.h"
#include "source/proc/cgroup.h"

/* IDs of cgroups to remember. The oldest are forgotten first; IDs increase. */
#define KNOWN_MAX 65536

struct flt_members {
	struct flt_cgroup_tree *tree;
	uint64_t id;
	char *path;
	uint64_t *known;	/* sorted IDs of the cgroup and those below, also removed ones */
	size_t known_count;
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
	free(m->known);
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

/* Return the index of the first known cgroup whose ID is not smaller. */
static size_t place_of_known(const struct flt_members *m, uint64_t id)
{
	size_t low = 0, high = m->known_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (m->known[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_known(const struct flt_members *m, uint64_t id)
{
	const size_t at = place_of_known(m, id);

	return at < m->known_count && m->known[at] == id;
}

static int add_known(struct flt_members *m, uint64_t id)
{
	size_t at;

	if (is_known(m, id))
		return 0;
	if (!m->known)
		m->known = calloc(KNOWN_MAX, sizeof(*m->known));
	if (!m->known)
		return -ENOMEM;
	if (m->known_count == KNOWN_MAX)
		memmove(m->known, m->known + 1, --m->known_count * sizeof(*m->known));
	at = place_of_known(m, id);
	memmove(m->known + at + 1, m->known + at, (m->known_count++ - at) * sizeof(*m->known));
	m->known[at] = id;
	return 0;
}

/* Remember the cgroups that exist, because their processes may end after they were removed. */
static int know_cgroups(struct flt_members *m)
{
	const char *path;
	uint64_t id;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && (path = flt_cgroup_tree_at(m->tree, i, &id)); i++)
		if (flt_cgroup_tree_holds(m->path, path))
			ret = add_known(m, id);
	return ret;
}

static bool is_member(struct flt_members *m, const struct flt_row *row)
{
	const char *path = flt_cgroup_tree_path(m->tree, row->cgroup);

	if (path)
		return flt_cgroup_tree_holds(m->path, path);
	if (is_known(m, row->cgroup))
		return true;
	/* A process without a path that is new: its cgroup came and went since the last round. */
	m->unplaced += m->begun && row->cgroup && !flt_rates_find(&m->others, row->id);
	return false;
}

/* Subtract what a member had before it joined. */
static int take_member(const struct flt_members *m, struct flt_row *row, struct flt_rows *joined)
{
	const struct flt_row *then = flt_rates_find(&m->joined, row->id);
	struct flt_account account;

	if (!then && m->begun)
		then = flt_rates_find(&m->others, row->id);
	if (!then)
		return 0;
	flt_rates_subtract(&row->account, &then->account, &account);
	row->account = account;
	return flt_rows_add(joined, then);
}

int flt_members_pick(struct flt_members *m, struct flt_rows *rows)
{
	struct flt_rows others = { 0 }, joined = { 0 };
	size_t i, kept = 0;
	int ret = 0;

	flt_cgroup_tree_round(m->tree);
	for (i = 0; !ret && i < rows->count; i++) {
		struct flt_row *row = &rows->row[i];

		if (!is_member(m, row)) {
			ret = flt_rows_add(&others, row);
			continue;
		}
		ret = take_member(m, row, &joined);
		rows->row[kept++] = *row;
	}
	rows->count = kept;
	if (!ret)
		ret = know_cgroups(m);
	flt_rows_free(&m->others);
	flt_rows_free(&m->joined);
	m->others = others;
	m->joined = joined;
	flt_rates_order(&m->others);
	flt_rates_order(&m->joined);
	flt_rates_order(rows);
	m->begun = true;
	return ret;
}
