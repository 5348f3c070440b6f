/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * huge.h - the pages of a mapping that are mapped by huge pages.
 *
 * Linux 6.7 and later say so (PAGEMAP_SCAN). Before, only smaps has their number: aligned pages
 * are taken for a huge page if their frames are those of one huge page, and if the number of such
 * ranges is the one that smaps counts.
 */
#ifndef FLT_SOURCE_HUGE_H
#define FLT_SOURCE_HUGE_H

#include "source/proc/areas.h"

struct flt_huge;

/* Call flt_huge_free() also after an error. -ENOMEM. */
int flt_huge_new(struct flt_huge **huge, int kpageflags);
void flt_huge_free(struct flt_huge *huge);
/* Find the huge pages of an area. Finds none if their number does not agree with smaps. */
int flt_huge_find(struct flt_huge *huge, int pagemap, const struct flt_present_area *area);
/* Return whether a page of the area is mapped by a huge page. Ask in the order of addresses. */
bool flt_huge_has(struct flt_huge *huge, uint64_t page);

#endif
