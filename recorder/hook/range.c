// SPDX-License-Identifier: GPL-2.0-or-later
/* range.c - locks and checks for the calls that map, unmap, protect and advise memory. */
#include "range.h"

#include "arch/tag.h"
#include "image/image.h"
#include "pager/grant.h"
#include "pager/guard.h"
#include "pager/limit.h"
#include "region/extent.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"

#include <errno.h>

bool rec_range_all_locked;

struct rec_held rec_range_lock(void)
{
	struct rec_held h = { rec_block_signals() };
	uint32_t tid = rec_tid(), seen;

	rec_lock_take(&rec_map_lock, tid);
	for (;;) {
		rec_lock_take(&rec_pager_lock, tid);
		if (!rec_shadow.frozen) {
			/* The callers change pages as if all were registered. */
			rec_grant_end();
			return h;
		}
		seen = rec_freeze.ended;
		rec_lock_release(&rec_pager_lock);
		rec_freeze_wait(seen);
	}
}

void rec_range_unlock(struct rec_held h)
{
	rec_lock_release(&rec_pager_lock);
	rec_lock_release(&rec_map_lock);
	rec_restore_signals(h.signals);
}

bool rec_range_overflows(size_t len)
{
	return len > SIZE_MAX - (FLT_PAGE - 1);
}

bool rec_range_pages(const void *a, size_t len, size_t *first, size_t *end)
{
	uintptr_t from = rec_tag_remove(a), to = from + ((len + FLT_PAGE - 1) & ~(FLT_PAGE - 1));
	uintptr_t lo = rec_region.base, hi = rec_region_end();

	if (!rec_image_is_ready() || to <= from || to <= lo || from >= hi || from & (FLT_PAGE - 1))
		return false;
	*first = rec_page_at(from < lo ? lo : from);
	*end = rec_page_at(to > hi ? hi : to);
	return true;
}

bool rec_range_has_holes(const void *a, size_t len)
{
	uintptr_t from = (uintptr_t)a & ~(FLT_PAGE - 1);
	size_t first, end;

	if (rec_range_all_locked ||
	    !rec_range_pages((void *)from, len + ((uintptr_t)a - from), &first, &end))
		return false;
	while (first < end)
		if (rec_page_is_unmapped(first++))
			return true;
	return false;
}

bool rec_range_is_inside(const void *a, size_t len)
{
	uintptr_t from = rec_tag_remove(a);

	return rec_region_contains(from) && len <= rec_region_end() - from;
}

bool rec_range_is_limited(size_t first, size_t end)
{
	while (first < end)
		if (!rec_page_is_limited(first++))
			return false;
	return true;
}

bool rec_range_is_full(void)
{
	return rec_region.resident + rec_shadow.pages >= rec_image.config.max_pages;
}

void rec_range_take(size_t first, size_t end)
{
	size_t to;

	for (; first < end; first = to) {
		bool unmapped = rec_page_is_unmapped(first);

		for (to = first + 1; to < end && rec_page_is_unmapped(to) == unmapped; to++)
			;
		if (!unmapped || rec_extent_take_at(first, to - first))
			continue;
		for (size_t i = first; i < to; i++)
			rec_extent_take_at(i, 1);
	}
}

bool rec_range_is_unmapped(size_t first, size_t end)
{
	while (first < end)
		if (!rec_page_is_unmapped(first++))
			return false;
	return true;
}

void rec_range_replaced(size_t first, size_t end)
{
	rec_range_take(first, end);
	for (; first < end; first++)
		rec_page_reset(first, PAGE_EJECTED);
}

void rec_range_unmap(size_t first, size_t end)
{
	size_t to;

	for (; first < end; first = to) {
		bool ejected = rec_page_is_ejected(first);

		to = rec_region_run(first, end);
		/*
		 * The recorder does not use addresses again that are unmapped here. What was
		 * ejected has no shadow: another mapping may be in its place.
		 */
		if (ejected && (rec_image.filtered || rec_limit_adopt(first, to))) {
			sys2(SYS_munmap, rec_page_address(first), (to - first) * FLT_PAGE);
			continue;
		}
		if (rec_image.filtered) {
			rec_limit_unmap(first, to);
			continue;
		}
		if (!ejected)
			rec_limit_discard(first, to);
		rec_guard_unmap(first, to);
		rec_extent_give(first, to - first);
	}
}

void rec_range_eject_pages(size_t first, size_t end)
{
	size_t to;

	for (; first < end; first = to) {
		bool ejected = rec_page_is_ejected(first);
		bool unmapped = rec_page_is_unmapped(first);

		for (to = first + 1; to < end && rec_page_is_unmapped(to) == unmapped; to++)
			if (rec_page_is_ejected(to) != ejected)
				break;
		/* After mlockall() no mmap() takes unmapped pages any more. */
		if (unmapped && rec_range_all_locked)
			sys2(SYS_munmap, rec_page_address(first), (to - first) * FLT_PAGE);
		else if (!unmapped && !ejected)
			rec_limit_eject(first, to);
	}
}

void rec_range_eject(const void *a, size_t len)
{
	uintptr_t from = (uintptr_t)a & ~(FLT_PAGE - 1);
	size_t first, end;
	struct rec_held h;

	if (!rec_range_pages((void *)from, len + ((uintptr_t)a - from), &first, &end))
		return;
	h = rec_range_lock();
	rec_range_eject_pages(first, end);
	rec_range_unlock(h);
}

long rec_range_result(long ret)
{
	if (!sys_failed(ret))
		return ret;
	errno = (int)-ret;
	return -1;
}
