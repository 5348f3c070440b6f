/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hierarchy.h - find the cgroup hierarchy that limits memory, and this process's place in it. */
#ifndef FLT_LIMIT_HIERARCHY_H
#define FLT_LIMIT_HIERARCHY_H

#include <limits.h>
#include <stdbool.h>

#include "text/errmsg.h"

struct limit_hierarchy {
	bool v2;
	char own[PATH_MAX];	/* directory of this process's cgroup */
	/*
	 * Where a new cgroup with a limit can be created. In v2 a cgroup other than the root has
	 * either processes or children with controllers, so this is a parent of own there.
	 */
	char parent[PATH_MAX];
	bool enabled;		/* v2: children of parent have the memory controller */
};

/* Return 0, or -EOPNOTSUPP if no mounted hierarchy has the memory controller. */
int limit_hierarchy_find(struct limit_hierarchy *hierarchy, struct flt_errmsg *e);

#endif
