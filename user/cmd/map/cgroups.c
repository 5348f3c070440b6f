// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "cmd/map/map.h"
#include "observe/cgroups.h"

struct group {
	uint64_t id;
	struct flt_region sum;
};

struct groups {
	struct group *group;
	size_t count;
};

static struct group *group_of(struct groups *g, uint64_t id)
{
	struct group *more;
	size_t i;

	for (i = 0; i < g->count; i++)
		if (g->group[i].id == id)
			return &g->group[i];
	more = reallocarray(g->group, g->count + 1, sizeof(*more));
	if (!more)
		return NULL;
	g->group = more;
	more[g->count] = (struct group){ .id = id };
	return &more[g->count++];
}

static int add_up(struct map *m, struct groups *g)
{
	const struct map_row *row;
	uint32_t pid, last = 0;
	uint64_t id = 0;
	struct group *to;
	size_t i;

	for (i = 0; i < m->count; i++) {
		row = &m->rows[i];
		pid = flt_regions_pid(m->regions, row->region->image);
		/* Regions without a process are in no cgroup. */
		if (!pid)
			id = 0;
		else if (pid != last)
			id = flt_cgroups_of(m->cgroups, pid);
		last = pid;
		to = group_of(g, id);
		if (!to)
			return -ENOMEM;
		map_rows_add(&to->sum, row->region);
	}
	return 0;
}

static int by_faults(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	const uint64_t fx = flt_region_faults(&x->sum), fy = flt_region_faults(&y->sum);

	if (fx != fy)
		return fx > fy ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

int map_cgroups_write(struct map *m, struct flt_table *table)
{
	struct groups g = { 0 };
	struct flt_cgroup_name name;
	size_t i;
	int ret;

	flt_cgroups_round(m->cgroups);
	ret = add_up(m, &g);
	if (!ret && g.count)
		qsort(g.group, g.count, sizeof(*g.group), by_faults);
	for (i = 0; !ret && i < g.count; i++) {
		flt_cgroups_name(m->cgroups, g.group[i].id, &name);
		ret = map_row_cgroup(m, table, &g.group[i].sum, name.path, name.name);
	}
	free(g.group);
	return ret;
}
