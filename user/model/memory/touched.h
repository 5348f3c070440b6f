/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touched.h - which pages have been brought in before, by region.
 *
 * A bit for each page, in blocks of 512 that exist where something was touched:
 * 96 bytes for 2 MiB of address space at best, and for one page at worst.
 */
#ifndef FLT_MODEL_TOUCHED_H
#define FLT_MODEL_TOUCHED_H

#include <stdint.h>

/* Past these (48 MiB) pages of new blocks are always new. */
#define FLT_TOUCHED_BLOCKS (1u << 19)

struct flt_touched;

/* NULL: no memory. */
struct flt_touched *flt_touched_new(void);
void flt_touched_free(struct flt_touched *touched);

/*
 * Adds `pages` from `page` on. Returns how many of them are new; -ENOMEM; -ENOSPC
 * past the bound: nothing is known of them.
 */
int64_t flt_touched_add(struct flt_touched *touched, uint32_t region, uint64_t page, uint32_t pages);

#endif
