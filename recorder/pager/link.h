/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link.h - the model of far memory: the time a page would take to arrive over a link.
 *
 * The link has a bandwidth, which pages use one after the other in both directions, and a
 * latency, which each page that is brought in waits for by itself. First touches transfer
 * nothing. A page is filled at once, but its waiters are woken when it would have arrived.
 */
#ifndef FLT_REC_LINK_H
#define FLT_REC_LINK_H

#include "image/image.h"

static inline bool rec_link_is_modelled(void)
{
	return rec_image.config.latency_ns || rec_image.config.bandwidth;
}

/* Forget all pages that are under way. Call in a new image. */
void rec_link_reset(void);
/* Account for pages that were evicted over the link. */
void rec_link_sent(size_t pages);
/* Wait until a page that the calling thread filled would have arrived. Not for the server. */
void rec_link_wait(uintptr_t page);
/* Wake the waiters of a page when it would have arrived. Server only. */
void rec_link_wake_later(uintptr_t page);
/* Wake the waiters of the pages that have arrived by now, or of all pages. Server only. */
void rec_link_wake_due(bool all);
/*
 * Return the ns until the next page arrives, less the time by which a sleep ends late. Return
 * -1 if no page is under way. Server only.
 */
long rec_link_next(void);

#endif
