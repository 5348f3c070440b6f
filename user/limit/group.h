/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.h - a memory cgroup with a limit, of the v2 hierarchy or of the v1 memory controller.
 *
 * See Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of the kernel.
 */
#ifndef FLT_LIMIT_GROUP_H
#define FLT_LIMIT_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "limit/journal.h"
#include "text/errmsg.h"

struct flt_group {
	char directory[PATH_MAX];
	bool v2;
	bool made;		/* by flt_group_make(); else it belongs to somebody else */
};

#define FLT_GROUP_UNKNOWN UINT64_MAX

/* Memory and events of a cgroup with its children. FLT_GROUP_UNKNOWN: the kernel does not say. */
struct flt_group_usage {
	uint64_t current, peak;			/* bytes charged */
	uint64_t anon, file, kernel, swapped;	/* bytes */
	uint64_t faults, majors;		/* pgfault, pgmajfault: attempts, see flt.h */
	uint64_t refaults;			/* workingset_refault_*, pages */
	uint64_t evicted;			/* pages reclaimed */
	uint64_t killed;			/* processes killed because memory was not enough */
};

/*
 * Return 0 if this process may create memory cgroups, else -EOPNOTSUPP (no memory controller, or
 * memory.swap.max is 0) or -EACCES, with the remedy.
 */
int flt_group_may(struct flt_errmsg *e);

/*
 * Create an empty cgroup for this process's children: below its own cgroup, or below the nearest
 * parent that lets children have limits. The journal notes it. Return 0 or -errno.
 */
int flt_group_make(struct flt_group *group, struct flt_journal *journal, struct flt_errmsg *e);

/*
 * Use an existing cgroup. -EINVAL: not a directory with a memory controller. -EOPNOTSUPP: its
 * memory.swap.max is 0, so the kernel would kill its processes at the limit.
 */
int flt_group_open(struct flt_group *group, const char *directory, struct flt_errmsg *e);

/*
 * Set the limit in bytes. The kernel evicts until the limit is kept. For a cgroup that was opened
 * the journal notes the old limit. Return 0 or -errno: -EBUSY if not enough can be evicted.
 */
int flt_group_limit(const struct flt_group *group, struct flt_journal *journal, uint64_t bytes,
		    struct flt_errmsg *e);

/* Move this process into the cgroup. Return 0 or -errno. */
int flt_group_join(const struct flt_group *group);
/* Return true if the cgroup or a child of it has processes. */
bool flt_group_populated(const struct flt_group *group);
void flt_group_read(const struct flt_group *group, struct flt_group_usage *usage);

#endif
