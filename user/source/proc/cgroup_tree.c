// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/cgroup_tree.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Missing cgroups to remember, so that their rows do not make this program read all directories. */
#define MISSING_MAX 4096
/* Removed cgroups whose path is remembered. */
#define REMOVED_MAX 65536

struct entry {
	uint64_t id;
	char *path;	/* below the mount point; "" is the root */
};

/* A cgroup that was not found. It was removed if a complete walk began after that. */
struct missing {
	uint64_t id;
	uint64_t walks;		/* complete walks when it was looked up */
};

struct flt_cgroup_tree {
	char mount[PATH_MAX];
	struct entry *entry;	/* sorted by ID */
	size_t count, room;
	struct entry *removed;	/* sorted by ID */
	size_t removed_count, removed_room;
	struct missing *missing;	/* sorted by ID */
	size_t missing_count;
	uint64_t walks;		/* complete walks */
	bool walked;		/* in this round */
};

static int find_mount(char mount[PATH_MAX])
{
	FILE *file = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;
	int ret = -EOPNOTSUPP;

	if (!file)
		return -errno;
	while (ret && (m = getmntent(file)))
		if (!strcmp(m->mnt_type, "cgroup2") && strlen(m->mnt_dir) < PATH_MAX) {
			strcpy(mount, m->mnt_dir);
			ret = 0;
		}
	endmntent(file);
	return ret;
}

static int append(struct entry **list, size_t *count, size_t *room, struct entry entry)
{
	struct entry *more;

	if (*count == *room) {
		more = reallocarray(*list, *room ? 2 * *room : 64, sizeof(*more));
		if (!more)
			return -ENOMEM;
		*list = more;
		*room = *room ? 2 * *room : 64;
	}
	(*list)[(*count)++] = entry;
	return 0;
}

static int add(struct flt_cgroup_tree *t, uint64_t id, const char *path)
{
	char *copy = strdup(path);
	int ret = copy ? append(&t->entry, &t->count, &t->room, (struct entry){ id, copy }) :
			 -ENOMEM;

	if (ret)
		free(copy);
	return ret;
}

static int by_id(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void clear(struct entry *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(list[i].path);
	free(list);
}

static const struct entry *find(const struct entry *list, size_t count, uint64_t id)
{
	const struct entry key = { .id = id };

	return count ? bsearch(&key, list, count, sizeof(key), by_id) : NULL;
}

/* Move the entries of an earlier walk that this one did not find to .removed. Frees the list. */
static void remember_removed(struct flt_cgroup_tree *t, struct entry *old, size_t count)
{
	size_t i, less;

	for (i = 0; i < count; i++)
		if (find(t->entry, t->count, old[i].id) ||
		    append(&t->removed, &t->removed_count, &t->removed_room, old[i]))
			free(old[i].path);
	free(old);
	if (t->removed_count)
		qsort(t->removed, t->removed_count, sizeof(*t->removed), by_id);
	if (t->removed_count <= REMOVED_MAX)
		return;
	/* Forget the oldest. IDs increase. */
	less = t->removed_count - REMOVED_MAX;
	for (i = 0; i < less; i++)
		free(t->removed[i].path);
	memmove(t->removed, t->removed + less, REMOVED_MAX * sizeof(*t->removed));
	t->removed_count = REMOVED_MAX;
}

/*
 * Read all directories. The walk is complete if no directory was left out, except those that
 * vanish during the walk.
 */
static int read_tree(struct flt_cgroup_tree *t)
{
	char *const roots[] = { t->mount, NULL };
	/* A cgroup has about sixty files, so only directories are looked at. */
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV | FTS_NOSTAT, NULL);
	const size_t old_count = t->count;
	struct entry *old = t->entry;
	bool complete = true;
	const FTSENT *at;
	int ret = 0;

	t->walked = true;
	if (!fts)
		return -errno;
	t->entry = NULL;
	t->count = t->room = 0;
	errno = 0;
	while (!ret && (at = fts_read(fts))) {
		if (at->fts_info == FTS_D)
			ret = add(t, at->fts_ino, at->fts_path + strlen(t->mount));
		else if (at->fts_info == FTS_DNR || at->fts_info == FTS_ERR ||
			 at->fts_info == FTS_NS)
			complete &= at->fts_errno == ENOENT || at->fts_errno == ENODEV;
		errno = 0;
	}
	if (!ret)
		ret = -errno;
	fts_close(fts);
	qsort(t->entry, t->count, sizeof(*t->entry), by_id);
	remember_removed(t, old, old_count);
	if (!ret && complete)
		t->walks++;
	return ret;
}

int flt_cgroup_tree_new(struct flt_cgroup_tree **tree, struct flt_errmsg *e)
{
	struct flt_cgroup_tree *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	ret = find_mount(t->mount);
	if (ret == -EOPNOTSUPP)
		flt_errmsg_set(e, ret, "missing cgroup2: mount -t cgroup2 none /sys/fs/cgroup");
	if (!ret)
		ret = read_tree(t);
	if (ret) {
		flt_cgroup_tree_free(t);
		return ret;
	}
	*tree = t;
	return 0;
}

void flt_cgroup_tree_free(struct flt_cgroup_tree *t)
{
	if (!t)
		return;
	clear(t->entry, t->count);
	clear(t->removed, t->removed_count);
	free(t->missing);
	free(t);
}

/* Return the index of the first missing cgroup whose ID is not smaller. */
static size_t place_of_missing(const struct flt_cgroup_tree *t, uint64_t id)
{
	size_t low = 0, high = t->missing_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (t->missing[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct missing *find_missing(const struct flt_cgroup_tree *t, uint64_t id)
{
	const size_t at = place_of_missing(t, id);

	return at < t->missing_count && t->missing[at].id == id ? &t->missing[at] : NULL;
}

/* Forget the oldest cgroup if there are too many. IDs increase. */
static void add_missing(struct flt_cgroup_tree *t, uint64_t id, uint64_t walks)
{
	struct missing *known = find_missing(t, id);
	size_t at;

	if (known) {
		known->walks = walks;
		return;
	}
	if (!t->missing)
		t->missing = calloc(MISSING_MAX, sizeof(*t->missing));
	if (!t->missing)
		return;
	if (t->missing_count == MISSING_MAX)
		memmove(t->missing, t->missing + 1, --t->missing_count * sizeof(*t->missing));
	at = place_of_missing(t, id);
	memmove(t->missing + at + 1, t->missing + at,
		(t->missing_count++ - at) * sizeof(*t->missing));
	t->missing[at] = (struct missing){ .id = id, .walks = walks };
}

void flt_cgroup_tree_round(struct flt_cgroup_tree *t)
{
	t->walked = false;
}

const char *flt_cgroup_tree_path(struct flt_cgroup_tree *t, uint64_t id)
{
	const struct entry *found = id ? find(t->entry, t->count, id) : NULL;
	const uint64_t walks = t->walks;
	const struct missing *missing;

	if (!found && id) {
		missing = find_missing(t, id);
		if (missing && missing->walks < walks)
			return NULL;
		if (!t->walked && !read_tree(t))
			found = find(t->entry, t->count, id);
		if (!found)
			add_missing(t, id, walks);
	}
	if (!found)
		return NULL;
	return *found->path ? found->path : "/";
}

const char *flt_cgroup_tree_last_path(struct flt_cgroup_tree *t, uint64_t id)
{
	const char *path = flt_cgroup_tree_path(t, id);
	const struct entry *removed;

	if (path)
		return path;
	removed = find(t->removed, t->removed_count, id);
	return removed ? removed->path : NULL;
}

int flt_cgroup_tree_id(const struct flt_cgroup_tree *t, const char *path, uint64_t *id)
{
	char name[2 * PATH_MAX];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", t->mount, path);
	if (stat(name, &st))
		return -errno;
	*id = st.st_ino;
	return 0;
}

const char *flt_cgroup_tree_at(const struct flt_cgroup_tree *t, size_t i, uint64_t *id)
{
	if (i >= t->count)
		return NULL;
	*id = t->entry[i].id;
	return *t->entry[i].path ? t->entry[i].path : "/";
}

bool flt_cgroup_tree_holds(const char *cgroup, const char *path)
{
	size_t length = strcmp(cgroup, "/") ? strlen(cgroup) : 0;

	return !strncmp(cgroup, path, length) && (!path[length] || path[length] == '/');
}

int flt_cgroup_tree_faults(const struct flt_cgroup_tree *t, const char *path, uint64_t *pgfault,
			   uint64_t *pgmajfault)
{
	char name[2 * PATH_MAX], key[64];
	int found = 0;
	uint64_t value;
	FILE *file;

	snprintf(name, sizeof(name), "%s%s/memory.stat", t->mount, path);
	file = fopen(name, "re");
	if (!file)
		return -errno;
	while (fscanf(file, "%63s %" SCNu64, key, &value) == 2) {
		if (!strcmp(key, "pgfault")) {
			*pgfault = value;
			found |= 1;
		} else if (!strcmp(key, "pgmajfault")) {
			*pgmajfault = value;
			found |= 2;
		}
	}
	fclose(file);
	return found == 3 ? 0 : -ENOENT;
}
