// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * evict.c - when to evict, and which pages must stay.
 *
 * lib/core/victim.c chooses the victims, region/shadow.c moves them.
 */
#include "evict.h"

#include "grant.h"
#include "image/clock.h"
#include "image/image.h"
#include "lib/core/victim.h"
#include "link.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"
#include "residency.h"
#include "thread/sleep.h"

/*
 * The caller's stack may be limited memory, for example a coroutine's stack or a signal stack
 * of the program. On kernels without MOVE, stores there between the copy of a page and its
 * drop would be lost.
 */
#define STACK_PAGES ((64UL << 10) / FLT_PAGE)

static bool is_own_stack(size_t page)
{
	size_t here = rec_page_at((uintptr_t)__builtin_frame_address(0));

	return page + STACK_PAGES >= here && page <= here + 2;
}

static bool must_stay(const struct flt_region *r, size_t page)
{
	return r->state[page] & PAGE_HELD || is_own_stack(page);
}

/* Evict one batch. Return the number of victims. */
static size_t evict_batch(size_t want)
{
	static const struct flt_backing shadow = { must_stay, rec_shadow_put, NULL };
	size_t looks = 2 * (rec_region.head - rec_region.tail), before = rec_region.resident, n;
	uint64_t from = rec_now();

	/* During a freeze most pages may be held. Do not examine all of them each time. */
	if (rec_shadow.frozen && looks > 4 * FLT_VICTIMS_MAX)
		looks = 4 * FLT_VICTIMS_MAX;
	n = flt_victim_evict(&rec_region, &shadow, want, &looks);
	if (!n)
		return 0;
	rec_image.totals->evicted += before - rec_region.resident;
	rec_image.totals->evict_ns += rec_now() - from;
	rec_link_sent(before - rec_region.resident);
	rec_residency_publish();
	return n;
}

void rec_evict_make_room(size_t pages)
{
	size_t batch = rec_region.limit / 8 + 1, before;

	/* Pages that were granted and not touched do not count afterwards. */
	if (flt_victim_excess(&rec_region, pages))
		rec_grant_end();
	while (flt_victim_excess(&rec_region, pages)) {
		before = rec_region.resident;
		if (!evict_batch(batch) || rec_region.resident >= before)
			return;
	}
}

/*
 * Held pages cannot be evicted. If there are no others, one batch above the limit is allowed
 * until the freeze ends, which depends on the server only. But from prepare to parent in
 * fork.c the freeze also depends on the forking thread. It may need a page itself. Or it may wait
 * in libc for a lock whose owner waits here: the limit gives way if it sleeps in a futex.
 */
#define FORK_NS 50000000

bool rec_evict_may_exceed(uint32_t tid, uint64_t since)
{
	if (!rec_shadow.frozen || rec_region.resident < rec_region.limit + FLT_VICTIMS_MAX)
		return true;
	if (rec_freeze.forking == tid)
		return true;
	if (!rec_freeze.forking || rec_now() - since < FORK_NS)
		return false;
	return rec_sleep_in(rec_freeze.forking, "futex", since);
}
