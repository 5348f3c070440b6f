/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * members.h - the processes of --cgroup: those in a v2 cgroup or below, ended ones included.
 *
 * A process is where it is now, or where it was last. The module knows that (flt_row.cgroup).
 *
 * Each call of flt_members_pick() is a round, and the module does not tell when a process moves.
 * So the faults of a process that moves in a round count where it is at the end of the round.
 * What a process had before it joined does not count, unless it was a member in the first round.
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
/*
 * Remove the rows of other processes, sort the rest by ID, and subtract from each account what the
 * process had before it joined. torn: rows may be missing. Return -ENOMEM.
 */
int flt_members_pick(struct flt_members *members, struct flt_rows *rows, bool torn);
/* Return true if the process is a member and was counted before it joined. */
bool flt_members_joined(const struct flt_members *members, uint64_t id);
/* Return how many processes appeared in cgroups that were removed before they were seen. */
uint64_t flt_members_unplaced(const struct flt_members *members);

#endif
