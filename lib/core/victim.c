// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * victim.c - choose pages to evict: FIFO or CLOCK.
 *
 * Pages leave in the order in which they became resident. CLOCK spares each page once that
 * came back after an eviction. User space cannot see the accessed bit, so coming back is the
 * only evidence of use.
 */
#include "victim.h"

static size_t choose(struct flt_region *r, const struct flt_backing *b, uint32_t *victim,
		     size_t want, size_t *looks)
{
	size_t n = 0;

	while (n < want && *looks && r->tail != r->head) {
		uint32_t page = r->queue[r->tail++ & r->mask];
		uint8_t before = r->state[page];

		--*looks;
		r->state[page] = (uint8_t)(before & ~(FLT_PAGE_QUEUED | FLT_PAGE_RETURNED));
		if (!(before & FLT_PAGE_RESIDENT))
			continue;
		if ((r->clock && before & FLT_PAGE_RETURNED) ||
		    (b->must_stay && b->must_stay(r, page)))
			flt_region_queue(r, page);
		else
			victim[n++] = page;
	}
	return n;
}

/* Shell sort: no recursion, no allocation. */
static void sort(uint32_t *v, size_t n)
{
	for (size_t gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
		for (size_t i = gap; i < n; i++) {
			uint32_t x = v[i];
			size_t j = i;

			for (; j >= gap && v[j - gap] > x; j -= gap)
				v[j] = v[j - gap];
			v[j] = x;
		}
}

size_t flt_victim_evict(struct flt_region *r, const struct flt_backing *b, size_t want,
			size_t *looks)
{
	uint32_t victim[FLT_VICTIMS_MAX];
	size_t n, i, run, stayed;

	n = choose(r, b, victim, want < FLT_VICTIMS_MAX ? want : FLT_VICTIMS_MAX, looks);
	sort(victim, n);
	for (i = 0; i < n; i += run) {
		for (run = 1; i + run < n && victim[i + run] == victim[i] + run; run++)
			;
		stayed = b->evict(b->owner, victim[i], run);
		r->resident -= run - stayed;
	}
	return n;
}
