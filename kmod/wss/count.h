/* SPDX-License-Identifier: GPL-2.0-only */
/* wss_count - sums of one scan of an address space. */
#ifndef FLT_WSS_COUNT_H
#define FLT_WSS_COUNT_H

#include <linux/flt.h>
#include <linux/types.h>

#define FLT_WSS_NODES 16	/* node 15 also counts the pages of all higher nodes */

enum flt_wss_kind { FLT_WSS_KIND_ANON, FLT_WSS_KIND_FILE, FLT_WSS_KIND_SHMEM, __FLT_WSS_KINDS };

/* In bytes unless stated otherwise. */
struct flt_wss_count {
	u64 rss;		/* mapped pages, as the kernel counts RSS */
	u64 huge;		/* part of @rss that is mapped by huge PMDs */
	u64 kind[__FLT_WSS_KINDS];	/* referenced, by kind of page */
	u64 area[__FLT_AREA_MAX];	/* referenced, by kind of mapping */
	u64 node[FLT_WSS_NODES];	/* referenced, by NUMA node of the page */
	u64 pages;		/* number of entries with a page; a huge PMD is one entry */
	u64 special;		/* number of entries without a page: zero page, devices */
	u64 hugetlb, device;	/* mappings that were skipped */
	u64 left;		/* mapped, but cannot be made PROT_NONE: use is unknown */
	u64 changed;		/* number of entries made PROT_NONE or restored */
};

#endif
