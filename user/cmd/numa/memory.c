// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cmd/numa/numa.h"

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

/* Its own place, a free one, or that of who had fewest hint faults, if these were fewer. */
static struct numa_memory *place_of(struct numa *n, const struct flt_ledger_line *line)
{
	struct numa_memory *least = &n->memory[0];
	size_t i;

	for (i = 0; i < n->memories; i++) {
		if (n->memory[i].id == line->id)
			return &n->memory[i];
		if (n->memory[i].hints < least->hints)
			least = &n->memory[i];
	}
	if (n->memories < NUMA_PROCESSES)
		return &n->memory[n->memories++];
	return least->hints < line->n.count[FLT_NUMA_HINTS] ? least : NULL;
}

void numa_memory_look(struct numa *n, const struct flt_ledger_line *line)
{
	struct numa_memory m = { .id = line->id, .hints = line->n.count[FLT_NUMA_HINTS] }, *place;
	struct looking l = { .m = &m };

	if (flt_node_threads(line->tgid, l.threads) || flt_node_maps_read(line->tgid, take_map, &l) || !m.pages)
		return;
	place = place_of(n, line);
	if (place)
		*place = m;
}

const struct numa_memory *numa_memory_of(const struct numa *n, uint64_t id)
{
	size_t i;

	for (i = 0; i < n->memories; i++)
		if (n->memory[i].id == id)
			return &n->memory[i];
	return NULL;
}
