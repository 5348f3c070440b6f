/* SPDX-License-Identifier: GPL-2.0-or-later */
/* extent.h - which address ranges of the region are free. Callers hold rec_map_lock. */
#ifndef FLT_REC_EXTENT_H
#define FLT_REC_EXTENT_H

#include "image/lock.h"
#include "lib/core/region.h"

#include <flt_ring.h>

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Serializes mmap(), munmap() and the like, and fork. Taken before rec_pager_lock. */
extern struct rec_lock rec_map_lock __attribute__((visibility("hidden")));

/*
 * Return the end of all pages that were ever allocated. The pages above were never touched, so
 * loops over the region stop here: the region can be much larger than the memory in use.
 */
size_t rec_extent_end(void);
/* Make all pages of the region free. Return 0 or -errno. */
int rec_extent_init(size_t pages);
/* Free pages beyond M, so that the allocator finds room at once. */
#define REC_EXTENT_SPARE (FLT_REC_ROOM / FLT_PAGE)
/* Return the number of free pages. */
size_t rec_extent_free(void);
/* Allocate pages. Return the first one, or -1. align: in pages, a power of two. */
ssize_t rec_extent_take(size_t pages, size_t align);
/* Allocate these pages. Return false if one of them is not free. */
bool rec_extent_take_at(size_t first, size_t pages);
/* Free pages. Some may be free already, because unmapping twice is not an error. */
void rec_extent_give(size_t first, size_t pages);

#endif
