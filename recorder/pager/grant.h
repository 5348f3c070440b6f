/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grant.h - let the kernel fill untouched pages by itself.
 *
 * The first touch of a page needs no pager, because the page has no content. So behind a first
 * touch some pages leave the userfaultfd. The kernel fills them without a stop, and writes a sample
 * of each touch: see thread/touch_sample.h. A grant ends when its pages are used up, before a page
 * leaves the region, before the program forks or changes its mappings, and when the program has
 * not used it for a while. Then its samples are recorded, and its pages belong to the userfaultfd
 * again.
 *
 * Granted pages count as resident from the beginning, so the limit is exact. No page is evicted
 * while there is a grant.
 *
 * Callers hold the pager lock.
 */
#ifndef FLT_REC_GRANT_H
#define FLT_REC_GRANT_H

#include "thread/thread.h"

#include <stdbool.h>
#include <stddef.h>

struct rec_fault;

/* Return true unless --no-grants was given, or the processor allows no grants. */
bool rec_grant_is_possible(void);
/* Allow grants in this image, before its first fault. renew: see touch_ring.h. */
void rec_grant_begin(bool (*renew)(struct rec_thread *t));
/* Grant pages behind a page whose first touch is about to be resolved, if that may pay. */
void rec_grant_follow(const struct rec_fault *f, size_t page);
/*
 * Record the touches so far, and end the grants that the program has not used since the last call.
 * A grant in use goes on: its thread would often be in the middle of a fault.
 */
void rec_grant_refresh(void);
/* End all grants. */
void rec_grant_end(void);
/* End all grants before another task grants pages: the server or the program. */
void rec_grant_restart(void);
/* End all grants, and give no more. */
void rec_grant_stop(void);
/*
 * End all grants before a thread begins, and give none until rec_grant_join(), because its touches
 * would not be sampled. Call before the thread opens perf events.
 */
void rec_grant_expect(struct rec_thread *t);
/* Sample the touches of a thread that was expected, if pages may be granted already. */
void rec_grant_join(struct rec_thread *t);
/* End all grants before a thread ends, and close its samples. */
void rec_grant_leave(struct rec_thread *t);
/* Forget everything, in a forked child, which may have grants of its own. */
void rec_grant_forget(void);

#endif
