/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shadow.h - where evicted pages are: a range as large as the region, at a fixed distance.
 *
 * Callers hold the pager lock.
 */
#ifndef FLT_REC_SHADOW_H
#define FLT_REC_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_shadow {
	uintptr_t distance;	/* page address + distance = its place in the shadow */
	size_t pages;		/* pages whose state is PAGE_EVICTED */
	bool can_move;		/* the kernel has UFFDIO_MOVE (6.8), else pages are copied */
	bool frozen;		/* no page may leave, for a forked child: see freeze.h */
};
extern struct rec_shadow rec_shadow __attribute__((visibility("hidden")));

/* Evict resident neighbours. Return the number of pages that stayed: see struct flt_backing. */
size_t rec_shadow_put(void *unused, size_t first, size_t pages);
/*
 * Bring an evicted page back. Return as flt_fill_copy() does. wake: wake its waiters.
 * *copied: the shadow still has its copy.
 */
int rec_shadow_fetch(size_t page, bool wake, bool *copied);
/* Free the shadow's memory of pages [first, end). */
void rec_shadow_drop(size_t first, size_t end);
/* Make a page private again that fork left shared. MOVE requires that. Return 0 or -errno. */
int rec_shadow_unshare(uintptr_t address);

#endif
