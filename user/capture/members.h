/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * members.h - look for processes of a cgroup that are not recorded. A capture records the processes
 * that were in the cgroup when it began, and what they fork from then on.
 */
#ifndef FLT_CAPTURE_MEMBERS_H
#define FLT_CAPTURE_MEMBERS_H

#include "timeline/timeline.h"

struct capture_members {
	const char *cgroup;		/* directory; NULL: none is recorded */
	struct capture_member *list;	/* of the last call, in order of their PIDs */
	size_t count;
	uint64_t missed;		/* processes that are not recorded */
};

/*
 * Count the processes in the cgroup that the timeline did not get to know in several calls. Errors
 * are ignored, because the cgroup may be gone. A process that is there only between two
 * calls is not seen.
 */
void capture_members_look(struct capture_members *members, const struct flt_timeline *timeline);
void capture_members_free(struct capture_members *members);

#endif
