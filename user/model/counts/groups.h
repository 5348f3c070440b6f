/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups.h - counters of groups of processes that never decrease, in bounded memory.
 *
 * What a process counted since the last round belongs to the group that the process is in now. So
 * a group keeps the counts of processes that ended or moved. The number of groups is limited.
 * Processes of further groups are summed up in FLT_GROUP_OTHER. If there is no room for a new
 * group, a group that did not count for a long time is added to FLT_GROUP_OTHER and forgotten.
 */
#ifndef FLT_MODEL_GROUPS_H
#define FLT_MODEL_GROUPS_H

#include "account/account.h"

#define FLT_GROUP_COUNTER_ONE(...) + 1
enum { FLT_GROUP_COUNTERS = 0 FLT_COUNTERS(FLT_GROUP_COUNTER_ONE) };
#undef FLT_GROUP_COUNTER_ONE

/* The first groups have no name. */
enum {
	FLT_GROUP_OTHER,	/* groups for which there is no room */
	FLT_GROUP_ENDED,	/* processes that ended before they were seen in a group */
	__FLT_GROUPS_FIXED
};

/* Rounds without counts after which a group may be forgotten. */
#define FLT_GROUP_IDLE 20

struct flt_group {
	char *name;
	uint64_t hash;			/* of the name */
	uint64_t counted;		/* last round in which the group counted */
	uint64_t n[FLT_GROUP_COUNTERS];	/* in the order of the list of counters */
};

struct flt_groups;

/* max: groups with a name. Return -ENOMEM. */
int flt_groups_new(struct flt_groups **groups, uint32_t max);
void flt_groups_free(struct flt_groups *groups);

/* Forget all processes, because the module was loaded again. Groups keep their counts. */
void flt_groups_reset(struct flt_groups *groups);
/* Begin a round of flt_groups_add(). A round that is not ended is continued by the next one. */
void flt_groups_begin(struct flt_groups *groups);
/* Return true if the process counted since the last round, so that its group must be known. */
bool flt_groups_counted(struct flt_groups *groups, const struct flt_row *row);
/* Add a row. name NULL: unknown, so use the last known group. Return -ENOMEM. */
int flt_groups_add(struct flt_groups *groups, const struct flt_row *row, const char *name);
/*
 * End a round. complete: no row was missing. rowless: what the module counted in rows that were
 * retired and without rows, read before the rows.
 */
void flt_groups_end(struct flt_groups *groups, bool complete, const struct flt_account *rowless);

/* Return the group at index i, or NULL past the last. A free place has no name. */
const struct flt_group *flt_groups_at(const struct flt_groups *groups, size_t i);
/* Return the number of groups of live processes that are summed up in FLT_GROUP_OTHER. */
uint64_t flt_groups_hidden(struct flt_groups *groups);

#endif
