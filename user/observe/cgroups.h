/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - the rows of --by=cgroup: the cgroup of each process, and the name of each cgroup.
 *
 * A process counts in its cgroup, or in its last one. The module knows that (flt_row.cgroup).
 * Without the module, /proc tells it of running processes.
 */
#ifndef FLT_OBSERVE_CGROUPS_H
#define FLT_OBSERVE_CGROUPS_H

#include "account/account.h"
#include "source/netlink/control.h"
#include "source/proc/cgroup_tree.h"
#include "source/proc/container.h"

struct flt_cgroups;

struct flt_cgroup_name {
	const char *path;	/* below the mount point, until the next call; NULL: unknown */
	const char *name;	/* of the container or unit, or the path, or "(removed)" */
	char text[FLT_CONTAINER_NAME];
};

/* control NULL: without the module. Errors: -EOPNOTSUPP: cgroup2 is not mounted; -ENOMEM. */
int flt_cgroups_open(struct flt_cgroups **cgroups, struct flt_control *control,
		     struct flt_errmsg *e);
void flt_cgroups_close(struct flt_cgroups *cgroups);
/* Return the directories of all cgroups. */
struct flt_cgroup_tree *flt_cgroups_tree(struct flt_cgroups *cgroups);

/* Begin a report: read new directories once, and ask again where processes are. */
void flt_cgroups_round(struct flt_cgroups *cgroups);
/* Set the name of a cgroup. ID 0 is "(unknown)". */
void flt_cgroups_name(struct flt_cgroups *cgroups, uint64_t id, struct flt_cgroup_name *name);

/* Return the ID of the cgroup of a process, or 0 if it is unknown. */
uint64_t flt_cgroups_of(struct flt_cgroups *cgroups, uint32_t tgid);
/* The same by ID of a row (flt_row.id). Rows are read once per report. */
uint64_t flt_cgroups_of_row(struct flt_cgroups *cgroups, uint64_t row);

/*
 * Replace rows of processes by a row per cgroup, whose .id is that of the cgroup. A maximum that is
 * unknown for one of the processes is unknown (0) for the cgroup.
 */
void flt_cgroups_join(struct flt_rows *rows);

#endif
