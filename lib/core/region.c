// SPDX-License-Identifier: LGPL-2.1-or-later
/* region.c - tables of a region, and its resident pages. */
#include "region.h"
#include "sys.h"

#include <errno.h>
#include <sys/mman.h>

static void *map_table(size_t bytes)
{
	void *m = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed((long)m))
		return NULL;
	/* Tables are touched in places. Huge pages would waste most of their memory. */
	sys3(SYS_madvise, m, bytes, MADV_NOHUGEPAGE);
	return m;
}

int flt_region_create(struct flt_region *r, uintptr_t base, size_t count)
{
	r->base = base;
	r->count = count;
	r->head = r->tail = r->resident = r->resident_peak = 0;
	for (r->mask = 1; r->mask < count; r->mask <<= 1)
		;
	r->state = map_table(count);
	r->queue = map_table(r->mask-- * sizeof(*r->queue));
	return r->state && r->queue ? 0 : -ENOMEM;
}

void flt_region_destroy(struct flt_region *r)
{
	if (r->state)
		sys2(SYS_munmap, r->state, r->count);
	if (r->queue)
		sys2(SYS_munmap, r->queue, (r->mask + 1) * sizeof(*r->queue));
	r->state = NULL;
	r->queue = NULL;
}

void flt_region_queue(struct flt_region *r, size_t page)
{
	if (r->state[page] & FLT_PAGE_QUEUED)
		return;
	r->state[page] |= FLT_PAGE_QUEUED;
	r->queue[r->head++ & r->mask] = (uint32_t)page;
}

void flt_region_enter(struct flt_region *r, size_t page, uint8_t state)
{
	flt_region_set(r, page, state);
	flt_region_queue(r, page);
	if (++r->resident > r->resident_peak)
		r->resident_peak = r->resident;
}
