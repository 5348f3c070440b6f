/* SPDX-License-Identifier: GPL-2.0-only */
/* wss_count - what one look at an address space adds up to. */
#ifndef FLT_WSS_COUNT_H
#define FLT_WSS_COUNT_H

#include <linux/flt.h>
#include <linux/types.h>

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
	u64 left;		/* mapped, but not to be withheld: whether used is unknown */
	u64 changed;		/* entries withheld or given back */
};

#endif
