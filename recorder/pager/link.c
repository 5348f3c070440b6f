// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * far.c - the far-memory model: what a page brought in would cost elsewhere.
 *
 * One link with a bandwidth, which pages use one after the other in both
 * directions, and a latency that each brought in has for itself; first touches bring
 * nothing in. A page is filled at once but its waiters are woken when it would have
 * arrived.
 */
#include "rec.h"

/* Pages that the server has filled and that have not yet arrived. */
#define UNDER_WAY 512u
static struct {
	uint64_t when;
	uintptr_t page;
} under_way[UNDER_WAY];
static unsigned int head, tail;

/* The link is taken for that many pages; when the last of them has left. */
static uint64_t leaves(uint64_t now, size_t pages)
{
	uint64_t free = __atomic_load_n(&rec.link_free, __ATOMIC_RELAXED), sent;

	do {
		sent = now > free ? now : free;
		if (rec.cfg.bandwidth)
			sent += pages * REC_PAGE * 1000000000ULL / rec.cfg.bandwidth;
	} while (!__atomic_compare_exchange_n(&rec.link_free, &free, sent, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return sent;
}

void rec_far_sent(size_t pages)
{
	if (rec.cfg.bandwidth)
		leaves(sys_now(), pages);
}

/* The calling thread has just filled that page for itself. */
void rec_far_wait(uintptr_t page)
{
	uint64_t now, when;

	now = sys_now();
	when = leaves(now, 1) + rec.cfg.latency_ns;
	while (now < when) {
		/* a sleep is late by tens of us: spin the last stretch */
		if (when - now > 100000) {
			struct timespec t = { .tv_sec = (long)((when - now) / 1000000000),
					      .tv_nsec = (long)((when - now - 80000) % 1000000000) };

			sys2(SYS_nanosleep, &t, 0);
		}
		now = sys_now();
	}
	rec_pager_wake(page);
}

void rec_far_reset(void)
{
	head = tail = 0;
}

void rec_far_wake_due(bool all)
{
	uint64_t now = head != tail ? sys_now() : 0;

	while (tail != head && (all || under_way[tail % UNDER_WAY].when <= now))
		rec_pager_wake(under_way[tail++ % UNDER_WAY].page);
}

void rec_far_wake_later(uintptr_t page)
{
	if (head - tail == UNDER_WAY)
		rec_far_wake_due(true);
	under_way[head % UNDER_WAY].when = leaves(sys_now(), 1) + rec.cfg.latency_ns;
	under_way[head++ % UNDER_WAY].page = page;
}

long rec_far_next(void)
{
	uint64_t now, when;

	if (head == tail)
		return -1;
	now = sys_now();
	when = under_way[tail % UNDER_WAY].when;
	/* a sleep is late by tens of us: spin the last stretch */
	return when > now + 60000 ? (long)(when - now - 60000) : 0;
}
