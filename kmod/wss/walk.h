/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss_walk - find the pages of a page table that were accessed since the last scan.
 *
 * The kernel's page walker is not exported and makes a call per entry. This one reads a
 * page table of 512 entries under its lock in one loop and touches struct page only for
 * accessed pages.
 *
 * Clearing an accessed bit hides the access from reclaim. So the access is reported to
 * reclaim: by the young flag of the page if the kernel has one (CONFIG_PAGE_IDLE_FLAG;
 * DAMON and page_idle do the same), or else by marking the page accessed, as unmapping
 * does. The other modes do not touch accessed bits.
 */
#ifndef FLT_WSS_WALK_H
#define FLT_WSS_WALK_H

#include <linux/flt.h>
#include <linux/mm.h>
#include "wss/count.h"

/* What to do with each page. */
enum flt_wss_mode {
	FLT_WSS_CLEAR_ACCESSED,	/* clear the accessed bit; the page was used if the bit was set */
	FLT_WSS_PROTECT,	/* make it PROT_NONE; it was used if it is not PROT_NONE any more */
	FLT_WSS_SKIP,		/* change nothing, count it as left */
	FLT_WSS_RESTORE,	/* undo PROTECT; count nothing as used */
};

struct flt_wss_walk {
	enum flt_wss_mode mode;
	enum flt_area area;	/* of the mapping */
	struct flt_wss_count *count;
};

/*
 * Visit the pages from @address to the end of its page table or of @vma. Return the
 * address to continue at. Caller holds mmap_lock for reading. Does not sleep.
 */
unsigned long flt_wss_walk(struct vm_area_struct *vma, unsigned long address,
			   const struct flt_wss_walk *walk);

#endif
