// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cmd/numa.h"

struct looking {
	struct numa_memory *m;
	uint32_t threads[FLT_COVERAGE_NODES];
};

static void keep(struct numa_memory *m, const struct numa_area *area)
{
	size_t i = m->areas;

	while (i && m->area[i - 1].remote < area->remote)
		i--;
	if (i == NUMA_AREAS)
		return;
	if (m->areas < NUMA_AREAS)
		m->areas++;
	memmove(&m->area[i + 1], &m->area[i], (m->areas - i - 1) * sizeof(*area));
	m->area[i] = *area;
}

/* Remote is what lies on a node where none of its threads ran last. */
static int take_map(void *arg, const struct flt_node_map *map)
{
	struct looking *l = arg;
	struct numa_area area = { .map = *map };
	size_t i;

	for (i = 0; i < FLT_COVERAGE_NODES; i++) {
		area.pages += map->pages[i];
		if (!l->threads[i])
			area.remote += map->pages[i];
	}
	l->m->pages += area.pages;
	l->m->remote += area.remote;
	keep(l->m, &area);
	return 0;
}

void numa_memory_look(struct numa *n, uint64_t id, uint32_t pid)
{
	struct numa_memory m = { .id = id };
	struct looking l = { .m = &m };
	size_t i;

	if (flt_node_threads(pid, l.threads) || flt_node_maps_read(pid, take_map, &l) || !m.pages)
		return;
	for (i = 0; i < n->memories; i++)
		if (n->memory[i].id == id)
			break;
	if (i == NUMA_PROCESSES)
		return;
	if (i == n->memories)
		n->memories++;
	n->memory[i] = m;
}

const struct numa_memory *numa_memory_of(const struct numa *n, uint64_t id)
{
	size_t i;

	for (i = 0; i < n->memories; i++)
		if (n->memory[i].id == id)
			return &n->memory[i];
	return NULL;
}
