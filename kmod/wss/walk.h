/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss_walk - which pages of a page table were accessed since it was last asked.
 *
 * The kernel's own walker is not exported and calls back for every entry; this one
 * reads a table of 512 entries under its lock in one go, and touches struct page
 * only for what was accessed. The accessed bit taken is handed on to reclaim, which
 * would have found it: as the young flag of the page where the kernel has that
 * (CONFIG_PAGE_IDLE_FLAG, DAMON's and page_idle's way), else by marking the page
 * accessed, as unmapping does.
 *
 * Withholding leaves accessed bits alone: the fault sets them where they were not.
 */
#ifndef FLT_WSS_WALK_H
#define FLT_WSS_WALK_H

#include <linux/flt.h>
#include <linux/mm.h>
#include "wss/count.h"

/* What becomes of a page that is found. */
enum flt_wss_way {
	FLT_WSS_ACCESSED,	/* its accessed bit is taken */
	FLT_WSS_WITHHOLD,	/* it is withheld, and was used if it was not any more */
	FLT_WSS_LEAVE,		/* counted as left */
	FLT_WSS_GIVE_BACK,	/* it is withheld no longer; nothing is counted as used */
};

struct flt_wss_look {
	enum flt_wss_way way;
	enum flt_area area;	/* of the mapping */
	struct flt_wss_count *count;
};

/*
 * From @address on, within @vma, as far as one page table reaches; returns where
 * to go on. Under mmap_lock, and never asleep.
 */
unsigned long flt_wss_walk(struct vm_area_struct *vma, unsigned long address,
			   const struct flt_wss_look *look);

#endif
