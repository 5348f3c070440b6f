// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/proc/cgroup.h"

struct flt_members {
	struct flt_cgroup_tree *tree;
	uint64_t id;
	char *path;
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
	flt_cgroup_tree_free(m->tree);
	free(m->path);
	free(m);
}

uint64_t flt_members_id(const struct flt_members *m)
{
	return m->id;
}

void flt_members_pick(struct flt_members *m, struct flt_rows *rows)
{
	size_t i, kept = 0;
	const char *path;

	flt_cgroup_tree_round(m->tree);
	for (i = 0; i < rows->count; i++) {
		path = flt_cgroup_tree_path(m->tree, rows->row[i].cgroup);
		if (path && flt_cgroup_tree_holds(m->path, path))
			rows->row[kept++] = rows->row[i];
	}
	rows->count = kept;
}
