/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * freeze.h - the shadow holds still while a forked child has no server of its own.
 *
 * The child may lack a page. Then the parent's shadow has its content, or the page is empty.
 * So from before fork until the child's server takes over, no page leaves the shadow and no
 * page goes there that became resident meanwhile. rec_shadow.frozen
 * is set then. The pager lock guards all of this.
 */
#ifndef FLT_REC_FREEZE_H
#define FLT_REC_FREEZE_H

#include <stddef.h>
#include <stdint.h>

struct rec_freeze {
	uint32_t ended;		/* futex: number of freezes that ended */
	size_t held;		/* pages marked PAGE_HELD */
	uintptr_t barrier;	/* page whose fault the server answers after the fork event */
	uint32_t forking;	/* tid that holds the map lock for a fork, or 0 */
	uint64_t fork_seq;	/* number of the latest fork */
};
extern struct rec_freeze rec_freeze __attribute__((visibility("hidden")));

/* Keep a page resident until the freeze ends, if there is one. */
void rec_freeze_hold(size_t page);
/* End the freeze: drop copies that were kept for children, and wake threads that wait. */
void rec_freeze_end(void);
/* Sleep until a freeze ends, but at most 2 ms. `seen` is rec_freeze.ended under the lock. */
void rec_freeze_wait(uint32_t seen);

#endif
