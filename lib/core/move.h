/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* move.h - pages moved by UFFDIO_MOVE. */
#ifndef FLT_CORE_MOVE_H
#define FLT_CORE_MOVE_H

#include "region.h"

/*
 * Move pages between two places that are registered with r->uffd. Return 0 if all pages
 * moved, else -errno of the first page that did not. *moved: number of pages moved, in both
 * cases. The caller's lock keeps others from filling these pages meanwhile.
 */
int flt_move(const struct flt_region *r, uintptr_t to, uintptr_t from, size_t pages,
	     uint64_t mode, size_t *moved);

#endif
