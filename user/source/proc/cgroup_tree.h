/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_tree.h - the directories of v2 cgroups by ID, and what the kernel counts for them.
 *
 * The ID of a cgroup is the inode number of its directory, and is never reused.
 */
#ifndef FLT_SOURCE_CGROUP_TREE_H
#define FLT_SOURCE_CGROUP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/errmsg.h"

struct flt_cgroup_tree;

/* Read all directories. -EOPNOTSUPP: cgroup2 is not mounted. Free with flt_cgroup_tree_free(). */
int flt_cgroup_tree_new(struct flt_cgroup_tree **tree, struct flt_errmsg *e);
void flt_cgroup_tree_free(struct flt_cgroup_tree *tree);

/*
 * Begin a round of lookups. In each round the directories are read again at most once, so that
 * rows of many removed cgroups cost one walk.
 */
void flt_cgroup_tree_round(struct flt_cgroup_tree *tree);

/*
 * Return the path of a cgroup below the mount point, "/" for the root. Return NULL if the cgroup
 * was removed, or if it was made after this round read the directories. Reads the directories again
 * if the ID is new. The path is valid until the next call.
 */
const char *flt_cgroup_tree_path(struct flt_cgroup_tree *tree, uint64_t id);
/* The same, also for a cgroup that was removed after the directories were read. */
const char *flt_cgroup_tree_last_path(struct flt_cgroup_tree *tree, uint64_t id);

/* Find the ID of the cgroup with that path, as in /proc/PID/cgroup. Return 0 or -errno. */
int flt_cgroup_tree_id(const struct flt_cgroup_tree *tree, const char *path, uint64_t *id);

/* Return the path of the cgroup with index @i and set its ID, or NULL after the last one. */
const char *flt_cgroup_tree_at(const struct flt_cgroup_tree *tree, size_t i, uint64_t *id);

/* Return true if the path is that of a cgroup or of one below. */
bool flt_cgroup_tree_holds(const char *cgroup, const char *path);

/*
 * Read pgfault and pgmajfault of memory.stat, which include cgroups below. -ENOENT: the cgroup
 * was removed, or the memory controller is not enabled for it.
 */
int flt_cgroup_tree_faults(const struct flt_cgroup_tree *tree, const char *path, uint64_t *pgfault,
			   uint64_t *pgmajfault);

#endif
