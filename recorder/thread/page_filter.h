/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_filter.h - BPF programs that choose the page faults that a perf event sees.
 *
 * Two of them know which pages of the region the kernel fills by itself (pager/grant.h). Pages are
 * grouped into clusters of 64 neighbours. A table that the programs share with the recorder has a
 * bit per page of a few clusters. The program `touches` passes the first fault on each page whose
 * bit `granted` is set. The program `faults` passes faults on all other pages.
 */
#ifndef FLT_REC_PAGE_FILTER_H
#define FLT_REC_PAGE_FILTER_H

#include <stddef.h>
#include <stdint.h>

#define REC_CLUSTER 64u		/* pages; their addresses begin at a multiple of its size */

struct rec_page_cluster {
	uint64_t number;	/* address / (64 pages), 0 = no pages are granted. Set it last */
	uint64_t granted;	/* bit n: page n of the cluster */
	uint64_t touched;	/* set by the program `touches`: the page had a fault since */
};

struct rec_page_filter {
	int faults, touches;	/* descriptors of the programs */
	struct rec_page_cluster *table;	/* NULL: no programs */
};

/* Load a program that passes all faults in [lo, hi). Return a descriptor or -errno. */
int rec_page_filter_load_range(uint64_t lo, uint64_t hi);
/* Load the programs for addresses in [lo, hi). Return 0 or -errno. */
int rec_page_filter_load(struct rec_page_filter *filter, uint64_t lo, uint64_t hi);
/* Return the place of a cluster in the table. Other clusters have the same place. */
struct rec_page_cluster *rec_page_filter_cluster(const struct rec_page_filter *filter,
						 uint64_t number);

#endif
