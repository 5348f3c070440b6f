/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * members.h - the processes of --cgroup: those in a v2 cgroup or below, ended ones included.
 *
 * A process is where it is now, or where it was last. The module knows that (flt_row.cgroup).
 */
#ifndef FLT_OBSERVE_MEMBERS_H
#define FLT_OBSERVE_MEMBERS_H

#include "account/account.h"
#include "source/proc/cgroup_tree.h"

/* The option --cgroup of a command. The member is a const char *. */
#define FLT_MEMBERS_OPT(args, member)                                                          \
	{ .name = "cgroup", .letter = 'G', .type = FLT_OPT_FILE,                               \
	  .offset = offsetof(args, member), .arg = "DIR",                                      \
	  .help = "Show only processes in this cgroup or below. DIR is in cgroup2, e.g. "      \
		  "/sys/fs/cgroup/system.slice." }

struct flt_members;

/* Errors: -EINVAL: not a directory of cgroup2; -ENOENT, -EACCES, -EOPNOTSUPP, -ENOMEM. */
int flt_members_open(struct flt_members **members, const char *directory, struct flt_errmsg *e);
void flt_members_close(struct flt_members *members);

/* Return the ID of the cgroup, for a filter of the module. */
uint64_t flt_members_id(const struct flt_members *members);
/* Remove the rows of other processes. The path of a cgroup that was removed is unknown. */
void flt_members_pick(struct flt_members *members, struct flt_rows *rows);

#endif
