/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch_ring.h - a ring per thread with samples of its touches of granted pages, and the programs
 * that choose these touches.
 *
 * Programs and rings cost more than a small program, so they are loaded late: by the thread that
 * faults (path A), or by the server if it serves all faults (path B). The descriptors belong to the
 * process that has loaded them.
 *
 * Callers hold the pager lock.
 */
#ifndef FLT_REC_TOUCH_RING_H
#define FLT_REC_TOUCH_RING_H

#include "thread/thread.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_page_cluster;

/* renew: make the perf events of a thread use rec_touch_ring_filter(), or return false. */
void rec_touch_ring_allow(bool (*renew)(struct rec_thread *t));
/*
 * Load the programs and open the rings that are missing, while no thread begins. Return 0 if each
 * thread has a ring, -EAGAIN if this is only possible in another process, or another -errno if it
 * is not possible at all. Cheap if nothing is missing.
 */
int rec_touch_ring_prepare(void);
/*
 * Open the ring of a thread that begins, if other threads have rings. Return 0, -EAGAIN if only the
 * server can, by rec_touch_ring_prepare(), or another -errno.
 */
int rec_touch_ring_begin(struct rec_thread *t);
void rec_touch_ring_close(struct rec_thread *t);
void rec_touch_ring_close_all(void);
/* Close all rings. The next rec_touch_ring_prepare() may come from another task. */
void rec_touch_ring_turn_off(void);
/* Forget programs and rings, in a forked child. */
void rec_touch_ring_forget(void);
/* Return thread number i with a ring, or NULL if there are fewer. */
struct rec_thread *rec_touch_ring_thread(unsigned int i);
/* Return the place of a cluster in the table of the programs. */
struct rec_page_cluster *rec_touch_ring_cluster(uint64_t number);
/*
 * Return the descriptor of the filter for the perf events of path A, if this program has it, or -1.
 * Needs no lock in a thread that begins.
 */
int rec_touch_ring_filter(void);
/* Get the places of both descriptors that this program has; NULL = none. Needs no lock. */
void rec_touch_ring_descriptors(int *place[2]);

#endif
