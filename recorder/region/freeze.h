/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * freeze.h - keep the shadow unchanged while a forked child has no server of its own.
 *
 * A page that the child lacks is in the parent's shadow, or is empty. So a freeze lasts from
 * before fork until the child's server takes over. During a freeze rec_shadow.frozen is set.
 * No page leaves the shadow, and no page that became resident during the freeze is evicted.
 * The pager lock guards this state.
 */
#ifndef FLT_REC_FREEZE_H
#define FLT_REC_FREEZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_freeze {
	uint32_t ended;		/* futex: number of freezes that ended */
	size_t held;		/* pages marked PAGE_HELD */
	uintptr_t barrier;	/* page whose fault the server answers after the fork event */
	uintptr_t mark;		/* page that a child touches before it connects: see fork_child.c */
	uint32_t forking;	/* tid that holds the map lock for a fork, or 0 */
	uint64_t fork_seq;	/* number of the latest fork */
	bool raw;		/* the child of that fork will not connect to fltctl */
};
extern struct rec_freeze rec_freeze __attribute__((visibility("hidden")));

/* Keep a page resident until the freeze ends, if there is one. */
void rec_freeze_hold(size_t page);
/* End the freeze: drop copies that were kept for children, and wake threads that wait. */
void rec_freeze_end(void);
/* Sleep until a freeze ends, but at most 2 ms. `seen` is rec_freeze.ended under the lock. */
void rec_freeze_wait(uint32_t seen);

#endif
