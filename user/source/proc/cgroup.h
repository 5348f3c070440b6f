/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup.h - cgroups of the v2 tree, by their directories. */
#ifndef FLT_SOURCE_CGROUP_H
#define FLT_SOURCE_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "text/errmsg.h"

/* What the module knows it by. -EINVAL: not a directory of cgroup2; -ENOENT, -EACCES. */
int flt_cgroup_id(const char *directory, uint64_t *id, struct flt_errmsg *e);

/*
 * Process ids in it and below, in no order, each as often as it is listed; those of other
 * PID namespaces are left out. Owned by the caller: free(). -ENOENT: it was removed.
 */
int flt_cgroup_processes(const char *directory, uint32_t **tgids, size_t *count,
			 struct flt_errmsg *e);

#endif
