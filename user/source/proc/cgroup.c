// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define DEPTH 32	/* nesting of cgroups; paths are not longer */

int flt_cgroup_id(const char *directory, uint64_t *id, struct flt_errmsg *e)
{
	struct statfs fs;
	struct stat st;

	if (stat(directory, &st) || statfs(directory, &fs))
		return flt_errmsg_errno(e, -errno, "cannot find cgroup %s", directory);
	if (fs.f_type != CGROUP2_SUPER_MAGIC || !S_ISDIR(st.st_mode))
		return flt_errmsg_set(e, -EINVAL, "invalid cgroup '%s': not a directory of cgroup2",
				      directory);
	*id = st.st_ino;
	return 0;
}

struct list {
	uint32_t *tgid;
	size_t count, room;
};

static int add(struct list *l, uint32_t tgid)
{
	uint32_t *more;

	if (l->count == l->room) {
		more = reallocarray(l->tgid, l->room ? 2 * l->room : 64, sizeof(*more));
		if (!more)
			return -ENOMEM;
		l->tgid = more;
		l->room = l->room ? 2 * l->room : 64;
	}
	l->tgid[l->count++] = tgid;
	return 0;
}

static int read_processes(const char *directory, struct list *l)
{
	char path[4096];
	FILE *file;
	uint32_t tgid;
	int ret = 0;

	if ((size_t)snprintf(path, sizeof(path), "%s/cgroup.procs", directory) >= sizeof(path))
		return -ENAMETOOLONG;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!ret && fscanf(file, "%" SCNu32, &tgid) == 1)
		if (tgid)
			ret = add(l, tgid);
	fclose(file);
	/* The processes of a threaded cgroup are listed in its domain. */
	return ret;
}

static int read_tree(const char *directory, struct list *l, int depth)
{
	char path[4096];
	struct dirent *entry;
	DIR *dir;
	int ret;

	ret = read_processes(directory, l);
	dir = ret || depth == DEPTH ? NULL : opendir(directory);
	if (!dir)
		return ret;
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) >=
		    sizeof(path))
			ret = -ENAMETOOLONG;
		else
			ret = read_tree(path, l, depth + 1);
		if (ret == -ENOENT || ret == -ENODEV)
			ret = 0;	/* removed during the walk */
	}
	closedir(dir);
	return ret;
}

int flt_cgroup_processes(const char *directory, uint32_t **tgids, size_t *count,
			 struct flt_errmsg *e)
{
	struct list l = { 0 };
	int ret = read_tree(directory, &l, 0);

	if (ret == -ENODEV)
		ret = -ENOENT;
	if (ret == -ENOENT && !access(directory, F_OK))
		ret = flt_errmsg_set(e, -EINVAL, "invalid cgroup '%s': it has no cgroup.procs",
				     directory);
	else if (ret)
		flt_errmsg_errno(e, ret, "cannot read cgroup '%s'", directory);
	if (ret) {
		free(l.tgid);
		return ret;
	}
	*tgids = l.tgid;
	*count = l.count;
	return 0;
}

int flt_cgroup_members(const char *directory, uint32_t **tgids, size_t *count,
		       struct flt_errmsg *e)
{
	int ret = flt_cgroup_processes(directory, tgids, count, e);

	if (!ret && !*count) {
		free(*tgids);
		*tgids = NULL;
		ret = flt_errmsg_set(e, -ESRCH, "cannot record %s: it has no processes", directory);
	}
	return ret;
}
