/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * region.h - the limited memory of the image and the states of its pages.
 *
 * The region is everything that the program gets from the heap and from plain anonymous
 * mmap(). A resident page is at its own address. An evicted page is in the shadow: see
 * shadow.h.
 */
#ifndef FLT_REC_REGION_H
#define FLT_REC_REGION_H

#include "image/lock.h"
#include "lib/core/region.h"

/*
 * The page tables are the truth. A state tells where the content of a missing page is. It
 * may differ from the page tables in one way only: a RESIDENT page may be missing, if the
 * program dropped it with a system call that the recorder did not see. Then it reads as zeros.
 */
enum page_state {
	PAGE_UNMAPPED = 0,	/* not mapped by the program (never mapped, or unmapped) */
	PAGE_EMPTY,		/* mapped, but never touched, or dropped: reads as zeros */
	PAGE_EVICTED,		/* content is in the shadow */
	PAGE_EJECTED,		/* taken out of the limit; ordinary memory from then on */
	PAGE_GUARD,		/* unmapped and inaccessible: accesses raise SIGSEGV */
	PAGE_RESERVED,		/* mapped without access, and empty: see pager/reservation.h */
	PAGE_CLOSED,		/* ejected, because mprotect() took the access away */
	PAGE_RESIDENT = FLT_PAGE_RESIDENT,
};
#define PAGE_SHADOWED 0x40	/* resident, with a copy in the shadow for a forked child */
#define PAGE_HELD     0x80	/* became resident during a freeze: stays until it ends */

extern struct flt_region rec_region __attribute__((visibility("hidden")));
/* Close the userfaultfd, which ends the registration, and the descriptor of the memory. */
void rec_region_close(void);
/* Guards page states, eviction queue, totals, stack trie and ring. */
extern struct rec_lock rec_pager_lock __attribute__((visibility("hidden")));

static inline uintptr_t rec_region_end(void)
{
	return rec_region.base + rec_region.count * FLT_PAGE;
}

static inline bool rec_region_contains(uintptr_t address)
{
	return flt_region_contains(&rec_region, address);
}

static inline uintptr_t rec_page_address(size_t page)
{
	return flt_region_address(&rec_region, page);
}

static inline size_t rec_page_at(uintptr_t address)
{
	return flt_region_page(&rec_region, address);
}

static inline enum page_state rec_page_state(size_t page)
{
	return (enum page_state)flt_region_state(&rec_region, page);
}

/* Return true if the program did not map this page. */
static inline bool rec_page_is_unmapped(size_t page)
{
	enum page_state state = rec_page_state(page);

	return state == PAGE_UNMAPPED || state == PAGE_GUARD;
}

/* Return true if the page was taken out of the limit. */
static inline bool rec_page_is_ejected(size_t page)
{
	enum page_state state = rec_page_state(page);

	return state == PAGE_EJECTED || state == PAGE_CLOSED;
}

/*
 * Return the end of the run of pages from `first` on, at most `end`, that are all ejected, all
 * closed, or none of both.
 */
size_t rec_region_run(size_t first, size_t end);

/* Return true if the pager brings this page in and evicts it. */
static inline bool rec_page_is_limited(size_t page)
{
	enum page_state state = rec_page_state(page);

	return state == PAGE_EMPTY || state == PAGE_EVICTED || state == PAGE_RESIDENT;
}

/* Change the state of a page and clear its marks. */
static inline void rec_page_reset(size_t page, enum page_state state)
{
	flt_region_reset(&rec_region, page, (uint8_t)state);
}

#endif
