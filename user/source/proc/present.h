/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * present.h - the pages that a process has in memory or in swap: exactly those that smaps counts.
 *
 * pagemap says which pages are present, and smaps how many of them count: the page of zeros and
 * pages of devices do not. smaps is read before and after pagemap. If the two differ, the memory
 * changed meanwhile, and everything is read again. A process that is stopped (hold.h) changes
 * only by reclaim, khugepaged and other processes that share its pages.
 */
#ifndef FLT_SOURCE_PRESENT_H
#define FLT_SOURCE_PRESENT_H

#include "source/proc/areas.h"
#include "text/errmsg.h"

/* A page: its class in the low bits, and flags. */
#define FLT_PRESENT_CLASS 3u
#define FLT_PRESENT_SHARED (1u << 2)	/* mapped more than once */
#define FLT_PRESENT_HUGE (1u << 3)	/* mapped by a huge page */
#define FLT_PRESENT_SWAPPED (1u << 4)	/* in swap, not in memory */
#define FLT_PRESENT_TAIL (1u << 7)	/* of the folio of the page before, see folio.h */

struct flt_present_sink {
	/* Begin, or begin anew: forget the process. */
	int (*begin)(void *arg);
	int (*area)(void *arg, const struct flt_present_area *area);
	/* A page of the last area, in the order of addresses. page: address / page size. */
	int (*page)(void *arg, uint64_t page, unsigned int flags);
	void *arg;
};

/* Pages that could not be told apart. They were not handed over. */
struct flt_present_doubt {
	bool changed;		/* the process changed each time it was read */
	uint64_t zero;		/* counted pages among those that may be the page of zeros */
	uint64_t swap;		/* swapped pages of shared memory */
	uint64_t huge;		/* pages mapped by huge pages; handed over without the flag */
	uint64_t shared;	/* difference between smaps and pagemap */
};

/*
 * Read the pages of a process. *sums receives those of smaps. -ESRCH: the process has ended or
 * has no memory.
 */
int flt_present_read(uint32_t pid, const struct flt_present_sink *sink,
		     struct flt_present_sums *sums, struct flt_present_doubt *doubt,
		     struct flt_errmsg *e);

#endif
