/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * members.h - the processes of a cgroup that a capture records: those at the beginning, and what
 * they fork. A process that enters the cgroup later is counted, but not recorded.
 */
#ifndef FLT_CAPTURE_MEMBERS_H
#define FLT_CAPTURE_MEMBERS_H

#include "cli/command.h"
#include "timeline/timeline.h"

struct capture_members {
	const char *cgroup;		/* directory; NULL: nothing below is used */
	struct capture_member *list;	/* of the last call, in order of their PIDs */
	size_t count;
	uint64_t missed;		/* processes that entered later */
};

/*
 * List the processes that are in the cgroup now, in ascending order. The caller frees now->id.
 * *grown: one of them is not in *before, an earlier list. Return 0 or -errno.
 */
int capture_members_list(const struct capture_members *members, const struct flt_ids *before,
			 struct flt_ids *now, bool *grown, struct flt_errmsg *e);
/*
 * Count the processes that the timeline has not got to know for several calls. The kernel tells
 * about a new child within one. Ignores errors, because the cgroup may be gone.
 */
void capture_members_look(struct capture_members *members, const struct flt_timeline *timeline);
void capture_members_free(struct capture_members *members);

#endif
