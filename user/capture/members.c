// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/members.h"

#include <stdlib.h>

#include "source/proc/cgroup.h"

/* A process is missed if so many calls found it unknown. The kernel tells of a child within one. */
#define CALLS 4

struct capture_member {
	uint32_t pid;
	unsigned int unknown;	/* calls that found it unknown, at most CALLS; 0: it is recorded */
};

static int compare_pids(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* List the processes once each, in ascending order. */
static int list_processes(const char *cgroup, uint32_t **pids, size_t *count)
{
	size_t i, n = 0;
	int err = flt_cgroup_processes(cgroup, pids, count, NULL);

	if (err)
		return err;
	if (*count)
		qsort(*pids, *count, sizeof(**pids), compare_pids);
	for (i = 0; i < *count; i++)
		if (!n || (*pids)[n - 1] != (*pids)[i])
			(*pids)[n++] = (*pids)[i];
	*count = n;
	return 0;
}

/* Return what the last call found of the process, or NULL. *at: the index of the search before. */
static const struct capture_member *find_member(const struct capture_members *m, size_t *at,
						uint32_t pid)
{
	while (*at < m->count && m->list[*at].pid < pid)
		(*at)++;
	return *at < m->count && m->list[*at].pid == pid ? &m->list[*at] : NULL;
}

void capture_members_look(struct capture_members *m, const struct flt_timeline *timeline)
{
	const struct capture_member *old;
	struct capture_member *now;
	uint32_t *pids = NULL;
	size_t n = 0, i, at = 0;

	if (list_processes(m->cgroup, &pids, &n))
		return;
	now = calloc(n ? n : 1, sizeof(*now));
	for (i = 0; now && i < n; i++) {
		now[i].pid = pids[i];
		old = find_member(m, &at, pids[i]);
		if (old && (!old->unknown || old->unknown == CALLS)) {
			now[i].unknown = old->unknown;
		} else if (!flt_timeline_knows(timeline, pids[i])) {
			now[i].unknown = old ? old->unknown + 1 : 1;
			m->missed += now[i].unknown == CALLS;
		}
	}
	free(pids);
	if (!now)
		return;
	free(m->list);
	m->list = now;
	m->count = n;
}

void capture_members_free(struct capture_members *m)
{
	free(m->list);
	m->list = NULL;
}
