/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup.h - cgroups of the v2 hierarchy, by directory. */
#ifndef FLT_SOURCE_CGROUP_H
#define FLT_SOURCE_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "text/errmsg.h"

/* Read the ID that the module uses. -EINVAL: not a directory of cgroup2; -ENOENT, -EACCES. */
int flt_cgroup_id(const char *directory, uint64_t *id, struct flt_errmsg *e);

/*
 * List the processes in the cgroup and below, in no order, with duplicates. Processes of
 * other PID namespaces are left out. The caller frees the list. -ENOENT: removed.
 */
int flt_cgroup_processes(const char *directory, uint32_t **tgids, size_t *count,
			 struct flt_errmsg *e);

/* The same. A cgroup without processes is -ESRCH. */
int flt_cgroup_members(const char *directory, uint32_t **tgids, size_t *count,
		       struct flt_errmsg *e);

#endif
