// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cmd/numa/numa.h"

struct memory_walk {
	struct numa_memory *m;
	uint32_t threads[FLT_COVERAGE_NODES];	/* of the process, by node where they last ran */
};

/* Insert a region in order of remote pages, if it is among the first NUMA_AREAS. */
static void insert_area(struct numa_memory *m, const struct numa_area *area)
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

/* Add a mapping. A page is remote if no thread of the process last ran on its node. */
static int add_map(void *arg, const struct flt_node_map *map)
{
	struct memory_walk *l = arg;
	struct numa_area area = { .map = *map };
	size_t i;

	for (i = 0; i < FLT_COVERAGE_NODES; i++) {
		area.pages += map->pages[i];
		if (!l->threads[i])
			area.remote += map->pages[i];
	}
	l->m->pages += area.pages;
	l->m->remote += area.remote;
	insert_area(l->m, &area);
	return 0;
}

/*
 * Return the place for the regions of a process: its own place, a free place, or the place of the
 * process with the fewest hint faults. Return NULL if all others have at least as many.
 */
static struct numa_memory *find_place(struct numa *n, const struct flt_ledger_line *line)
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

void numa_memory_read(struct numa *n, const struct flt_ledger_line *line)
{
	struct numa_memory m = { .id = line->id, .hints = line->n.count[FLT_NUMA_HINTS] }, *place;
	struct memory_walk l = { .m = &m };

	if (flt_node_threads(line->tgid, l.threads) ||
	    flt_node_maps_read(line->tgid, add_map, &l) || !m.pages)
		return;
	place = find_place(n, line);
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
