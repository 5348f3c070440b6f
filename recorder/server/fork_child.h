/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fork_child.h - forked children that have no server of their own yet. See start/fork.c.
 *
 * The parent's server answers their faults from the frozen shadow. Callers hold the pager
 * lock.
 */
#ifndef FLT_REC_FORK_CHILD_H
#define FLT_REC_FORK_CHILD_H

#include "pager/page_fault.h"

#include <stdbool.h>

#define REC_FORK_CHILDREN 16	/* children at a time; a fork waits for room */

/* Forget all children. Each child has an id, which is never reused; 0 is the image itself. */
void rec_fork_child_reset(void);
/* Return true if a child can be added. */
bool rec_fork_child_has_room(void);
/* Add the child that the userfaultfd of a UFFD_EVENT_FORK message belongs to. */
void rec_fork_child_add(int uffd);
/* Return the userfaultfd of a child, or -1 if the child has left. */
int rec_fork_child_uffd(uint32_t id);
/* Return the child of a fork, or 0. seq: rec_freeze.fork_seq of that fork. */
uint32_t rec_fork_child_of(uint64_t seq);
/* Store ids of all children. Return their number. */
unsigned int rec_fork_child_list(uint32_t id[REC_FORK_CHILDREN]);
/* Fill a page for a child. */
enum rec_outcome rec_fork_child_serve(uint32_t id, uintptr_t page);
/* Remove a child that was handed over to its own server, or has died. */
void rec_fork_child_end(uint32_t id);
/*
 * Remove children that died. Give up on children that did not connect within 10 s, in which the
 * server ran. Give children their pages for which the kernel had no memory before. End the freeze
 * when no child is left and no fork is pending.
 */
void rec_fork_child_check(bool fork_pending);
/* Give all children their pages, because the server ends. */
void rec_fork_child_release_all(void);

#endif
