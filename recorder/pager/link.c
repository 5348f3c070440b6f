// SPDX-License-Identifier: GPL-2.0-or-later
/* link.c - one link with latency and bandwidth. */
#include "link.h"

#include "image/clock.h"
#include "lib/core/uffd.h"
#include "region/region.h"

#include <time.h>

/* Sleeps end late by tens of us. Threads spin for the last stretch, the server wakes early. */
#define SPIN_NS  100000
#define LATE_NS  80000
#define EARLY_NS 60000

static uint64_t free_at;	/* time when the link will have sent all pages so far */

/* Pages that the server filled and that have not arrived. Only the server uses this. */
#define UNDER_WAY 512u
static struct {
	uint64_t when;
	uintptr_t page;
} under_way[UNDER_WAY];
static unsigned int head, tail;

static void wake(uintptr_t page)
{
	uffd_wake(rec_region.uffd, page, FLT_PAGE);
}

/* Send pages over the link. Return the time when the last one is sent. */
static uint64_t send_pages(uint64_t now, size_t pages)
{
	uint64_t idle = __atomic_load_n(&free_at, __ATOMIC_RELAXED), sent;

	do {
		sent = now > idle ? now : idle;
		if (rec_image.config.bandwidth)
			sent += pages * FLT_PAGE * 1000000000ULL / rec_image.config.bandwidth;
	} while (!__atomic_compare_exchange_n(&free_at, &idle, sent, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return sent;
}

void rec_link_sent(size_t pages)
{
	if (rec_image.config.bandwidth)
		send_pages(rec_now(), pages);
}

void rec_link_wait(uintptr_t page)
{
	uint64_t now = rec_now(), when = send_pages(now, 1) + rec_image.config.latency_ns;

	while (now < when) {
		if (when - now > SPIN_NS) {
			struct timespec t = {
				.tv_sec = (long)((when - now) / 1000000000),
				.tv_nsec = (long)((when - now - LATE_NS) % 1000000000),
			};

			sys2(SYS_nanosleep, &t, 0);
		}
		now = rec_now();
	}
	wake(page);
}

void rec_link_reset(void)
{
	head = tail = 0;
	__atomic_store_n(&free_at, 0, __ATOMIC_RELAXED);
}

void rec_link_wake_due(bool all)
{
	uint64_t now = head != tail ? rec_now() : 0;

	while (tail != head && (all || under_way[tail % UNDER_WAY].when <= now))
		wake(under_way[tail++ % UNDER_WAY].page);
}

void rec_link_wake_later(uintptr_t page)
{
	if (head - tail == UNDER_WAY)
		rec_link_wake_due(true);
	under_way[head % UNDER_WAY].when = send_pages(rec_now(), 1) + rec_image.config.latency_ns;
	under_way[head++ % UNDER_WAY].page = page;
}

long rec_link_next(void)
{
	uint64_t now, when;

	if (head == tail)
		return -1;
	now = rec_now();
	when = under_way[tail % UNDER_WAY].when;
	return when > now + EARLY_NS ? (long)(when - now - EARLY_NS) : 0;
}
