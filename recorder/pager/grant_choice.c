// SPDX-License-Identifier: GPL-2.0-or-later
/* grant_choice.c - find untouched pages beside a first touch, as far as the limit has room. */
#include "grant_choice.h"

#include "cluster.h"
#include "region/extent.h"
#include "region/region.h"

#include <stdbool.h>

enum rec_grant_direction rec_grant_direction(size_t behind, size_t page)
{
	if (behind == page)
		return REC_GRANT_UP;
	return behind == page + 2 ? REC_GRANT_DOWN : REC_GRANT_NEITHER;
}

uint64_t rec_grant_choose(size_t page, unsigned int pages, enum rec_grant_direction d)
{
	size_t first = rec_cluster_first(page), end = first + REC_CLUSTER, i = page;
	size_t most = rec_extent_end(), room = rec_region.limit - rec_region.resident;
	bool down = d == REC_GRANT_DOWN;
	uint64_t set = 0;

	/* The caller has made room for the page itself. */
	if (rec_region.resident >= rec_region.limit)
		return 0;
	/*
	 * Grants end before pages are evicted. An eighth of the limit is evicted at a time, so near
	 * the limit they would end soon. They pay only if the program goes on in sequence.
	 */
	if (d == REC_GRANT_NEITHER && room <= rec_region.limit / 4)
		return 0;
	if (end > most)
		end = most;
	/* One page for the fault itself. */
	for (room--; pages && room; pages--, room--) {
		if (down ? i == first : i + 1 >= end)
			break;
		i = down ? i - 1 : i + 1;
		if (rec_page_state(i) != PAGE_EMPTY)
			break;
		set |= rec_cluster_bit(i);
	}
	return set;
}
