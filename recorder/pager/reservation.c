// SPDX-License-Identifier: GPL-2.0-or-later
/* reservation.c - reserve pages, and make them accessible. */
#include "reservation.h"

#include "image/image.h"
#include "limit.h"
#include "region/region.h"

#include <sys/mman.h>

/* Put pages under the limit that were taken out of it. */
static int adopt_ejected(size_t first, size_t end)
{
	size_t to;
	int ret;

	for (; first < end; first = to) {
		to = rec_region_run(first, end);
		ret = rec_page_is_ejected(first) ? rec_limit_adopt(first, to) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

int rec_reservation_map(size_t first, size_t end, bool accessible)
{
	long ret = adopt_ejected(first, end);

	if (ret)
		return (int)ret;
	rec_limit_discard(first, end);
	ret = sys3(SYS_mprotect, rec_page_address(first), (end - first) * FLT_PAGE,
		   accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
	if (sys_failed(ret))
		return (int)ret;
	for (size_t i = first; i < end; i++)
		rec_page_reset(i, accessible ? PAGE_EMPTY : PAGE_RESERVED);
	return 0;
}

void rec_reservation_open(size_t first, size_t end)
{
	for (; first < end; first++) {
		if (rec_page_state(first) == PAGE_RESERVED) {
			rec_page_reset(first, PAGE_EMPTY);
		} else if (rec_page_state(first) == PAGE_CLOSED) {
			rec_page_reset(first, PAGE_EJECTED);
			rec_image.totals->ejected++;
		}
	}
}

void rec_reservation_close(size_t first, size_t end)
{
	size_t to;

	for (; first < end; first = to) {
		to = rec_region_run(first, end);
		if (rec_page_is_ejected(first) || rec_limit_eject(first, to))
			continue;
		for (size_t i = first; i < to; i++)
			rec_page_reset(i, PAGE_CLOSED);
		/* They count when they are opened with their content, maybe by a child. */
		rec_image.totals->ejected -= to - first;
	}
}

bool rec_reservation_is_all(size_t first, size_t end)
{
	while (first < end)
		if (rec_page_state(first++) != PAGE_RESERVED)
			return false;
	return true;
}

bool rec_reservation_has_any(size_t first, size_t end)
{
	while (first < end)
		if (rec_page_state(first++) == PAGE_RESERVED)
			return true;
	return false;
}
