// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/members.h"

#include <errno.h>
#include <stdlib.h>

#include "source/proc/cgroup.h"

#define MISSED 4	/* calls of capture_members_look() */

struct capture_member {
	uint32_t pid;
	unsigned int unknown;	/* calls that found it unknown; 0: it is recorded */
};

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* List the processes once each, in ascending order. */
static int list(const char *cgroup, uint32_t **pids, size_t *count, struct flt_errmsg *e)
{
	size_t i, n = 0;
	int err = flt_cgroup_processes(cgroup, pids, count, e);

	if (err)
		return err;
	if (*count)
		qsort(*pids, *count, sizeof(**pids), compare);
	for (i = 0; i < *count; i++)
		if (!n || (*pids)[n - 1] != (*pids)[i])
			(*pids)[n++] = (*pids)[i];
	*count = n;
	return 0;
}

int capture_members_list(const struct capture_members *m, const struct flt_ids *before,
			 struct flt_ids *now, bool *grown, struct flt_errmsg *e)
{
	size_t i, k = 0;
	int err = list(m->cgroup, &now->id, &now->count, e);

	*grown = false;
	for (i = 0; !err && i < now->count && !*grown; i++) {
		while (k < before->count && before->id[k] < now->id[i])
			k++;
		*grown = k == before->count || before->id[k] != now->id[i];
	}
	return err;
}

void capture_members_look(struct capture_members *m, const struct flt_timeline *timeline)
{
	struct capture_member *all;
	uint32_t *pids = NULL;
	size_t n = 0, i, k = 0;

	if (list(m->cgroup, &pids, &n, NULL))
		return;
	all = calloc(n ? n : 1, sizeof(*all));
	for (i = 0; all && i < n; i++) {
		while (k < m->count && m->list[k].pid < pids[i])
			k++;
		all[i].pid = pids[i];
		if (k < m->count && m->list[k].pid == pids[i])
			all[i].unknown = m->list[k].unknown;
		else
			all[i].unknown = 1;
		if (!all[i].unknown || all[i].unknown > MISSED)
			continue;
		if (flt_timeline_knows(timeline, pids[i]))
			all[i].unknown = 0;
		else if (all[i].unknown++ == MISSED)
			m->missed++;
	}
	free(pids);
	if (!all)
		return;
	free(m->list);
	m->list = all;
	m->count = n;
}

void capture_members_free(struct capture_members *m)
{
	free(m->list);
	m->list = NULL;
}
