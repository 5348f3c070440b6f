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
 */
#ifndef FLT_WSS_WALK_H
#define FLT_WSS_WALK_H

#include <linux/flt.h>
#include <linux/mm.h>

#define FLT_WSS_NODES 16	/* pages of nodes from 15 on count for node 15 */

enum flt_wss_kind { FLT_WSS_KIND_ANON, FLT_WSS_KIND_FILE, FLT_WSS_KIND_SHMEM, __FLT_WSS_KINDS };

/* Bytes, unless said otherwise. */
struct flt_wss_count {
	u64 rss;		/* mapped: what the kernel counts as resident */
	u64 huge;		/* of that, by huge PMDs */
	u64 kind[__FLT_WSS_KINDS];	/* referenced, by what the page is */
	u64 area[__FLT_AREA_MAX];	/* referenced, by what the mapping is */
	u64 node[FLT_WSS_NODES];	/* referenced, by where the page is */
	u64 pages;		/* entries with a page: 1 for a huge one */
	u64 special;		/* entries without a page: the zero page, devices */
	u64 hugetlb, device;	/* mappings passed over */
};

/*
 * From @address on, within @vma, as far as one page table reaches; returns where
 * to go on. Under mmap_lock, and never asleep.
 */
unsigned long flt_wss_walk(struct vm_area_struct *vma, unsigned long address, enum flt_area area,
			   struct flt_wss_count *count);

#endif
