/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* victim.h - eviction: which resident pages leave, in which order. */
#ifndef FLT_CORE_VICTIM_H
#define FLT_CORE_VICTIM_H

#include "region.h"

#define FLT_VICTIMS_MAX 256	/* pages per batch */

/* Where evicted pages go. Callbacks run with the caller's lock held. */
struct flt_backing {
	/* Return true if the page must stay resident for now. NULL = none must. */
	bool (*must_stay)(const struct flt_region *r, size_t page);
	/*
	 * Evict `pages` neighbours from `first` on and change their states. Pages that cannot
	 * leave keep a resident state and go back to the queue. Return their number.
	 */
	size_t (*evict)(void *owner, size_t first, size_t pages);
	void *owner;
};

/* Return the number of pages above the limit when `more` pages come in. */
static inline size_t flt_victim_excess(const struct flt_region *r, size_t more)
{
	return r->limit && r->resident + more > r->limit ? r->resident + more - r->limit : 0;
}

/*
 * Evict up to `want` pages, sorted and in runs of neighbours, because a page that moves in a
 * run costs a tenth of a page that moves alone. *looks is the number of queue entries that
 * may still be examined; the call reduces it. Return the number of victims chosen.
 */
size_t flt_victim_evict(struct flt_region *r, const struct flt_backing *b, size_t want,
			size_t *looks);

#endif
