/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cluster.h - numbers and bits of pages in the clusters of thread/page_filter.h. */
#ifndef FLT_REC_CLUSTER_H
#define FLT_REC_CLUSTER_H

#include "region/region.h"
#include "thread/page_filter.h"

#include <stddef.h>
#include <stdint.h>

/* Return the number of a page's cluster, as in struct rec_page_cluster. */
static inline uint64_t rec_cluster_number(size_t page)
{
	return rec_page_address(page) / (REC_CLUSTER * FLT_PAGE);
}

/* The region begins at a multiple of FLT_REC_ALIGN, and so at the beginning of a cluster. */
static inline size_t rec_cluster_first(size_t page)
{
	return page - page % REC_CLUSTER;
}

static inline uint64_t rec_cluster_bit(size_t page)
{
	return 1ULL << page % REC_CLUSTER;
}

static inline unsigned int rec_bits_count(uint64_t set)
{
	return (unsigned int)__builtin_popcountll(set);
}

static inline size_t rec_bits_lowest(uint64_t set)
{
	return (size_t)__builtin_ctzll(set);
}

#endif
