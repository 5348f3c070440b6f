/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eviction.h - keep the resident pages at or below the limit. */
#ifndef FLTUFFD_EVICTION_H
#define FLTUFFD_EVICTION_H

#include "pager.h"

/*
 * Evict until n more pages fit below the limit. If pages cannot be written back, the limit is
 * exceeded. buffer: one page. Caller holds the lock.
 */
void fltuffd_evict(struct fltuffd *p, size_t n, char *buffer);
/*
 * Write a dirty page to the backing or to the private file. The page is CLEAN afterwards, or
 * stays DIRTY on error. buffer: one page. Caller holds the lock.
 */
int fltuffd_write_back(struct fltuffd *p, size_t page, char *buffer);

#endif
