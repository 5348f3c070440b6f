/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_set.h - a set of pages, to recognize the first touch of a page.
 *
 * One bit per page, in blocks of 512 pages that exist where a page was touched. A block takes
 * about 100 bytes: 0.2 bytes per page at best, 100 at worst.
 */
#ifndef FLT_PAGE_SET_H
#define FLT_PAGE_SET_H

#include <stdint.h>

#include "index/index.h"

#define FLT_PAGE_BLOCK_SHIFT 9

struct flt_page_block {
	uint64_t number;	/* page number >> FLT_PAGE_BLOCK_SHIFT */
	uint64_t bits[(1u << FLT_PAGE_BLOCK_SHIFT) / 64];
};

/* A set that is all zero is empty and ready for use. */
struct flt_page_set {
	struct flt_page_block *blocks;
	uint32_t count, room;
	uint32_t last;		/* block of the last call, because faults are close together */
	struct flt_index index;
};

/*
 * Add `pages` pages from `page` on. *budget is the number of blocks that may still be allocated;
 * several sets can share it. Return the number of pages that were not in the set, -ENOMEM, or
 * -ENOSPC if the budget is used up. After an error, the pages before the failed block are added.
 */
int64_t flt_page_set_add(struct flt_page_set *set, uint64_t page, uint32_t pages, uint32_t *budget);
/* Remove pages in [first, last). */
void flt_page_set_clear(struct flt_page_set *set, uint64_t first, uint64_t last);
/* Copy `from` to the empty set `to`. Return -ENOMEM or -ENOSPC with `to` empty. */
int flt_page_set_copy(struct flt_page_set *to, const struct flt_page_set *from, uint32_t *budget);
/* Free the memory and give the blocks back to the budget. */
void flt_page_set_free(struct flt_page_set *set, uint32_t *budget);

#endif
