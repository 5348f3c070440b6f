// SPDX-License-Identifier: GPL-2.0-or-later
/* mremap.c - mappings that grow, shrink and move. */
#include "image/image.h"
#include "pager/guard.h"
#include "pager/limit.h"
#include "pager/relocation.h"
#include "range.h"
#include "recent.h"
#include "region/extent.h"
#include "region/region.h"
#include "rlimit.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

/* Copy pages by loads and stores, which may fault. Skip empty pages. */
static void copy(char *to, const char *old, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (rec_page_state(i) != PAGE_EMPTY)
			memcpy(to + (i - first) * FLT_PAGE, old + (i - first) * FLT_PAGE, FLT_PAGE);
}

enum outcome { IN_PLACE, MUST_MOVE, NOT_LIMITED };

/* Shrink or grow pages [first, end) to `pages` in place, or eject them for the kernel. */
static enum outcome resize(size_t first, size_t end, size_t pages, int flags)
{
	struct rec_held h = rec_range_lock();
	enum outcome outcome = IN_PLACE;

	if (!rec_range_is_limited(first, end) || flags & ~MREMAP_MAYMOVE) {
		rec_limit_eject(first, end);
		outcome = NOT_LIMITED;
	} else if (pages <= end - first) {
		rec_range_unmap(first + pages, end);
	} else if (rec_extent_take_at(end, pages - (end - first))) {
		rec_guard_map(end, first + pages);
	} else {
		outcome = MUST_MOVE;
	}
	rec_range_unlock(h);
	return outcome;
}

static void *move(void *old, size_t first, size_t end, size_t new_len)
{
	void *to = mmap(NULL, new_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool all = false;
	struct rec_held h;

	if (to == MAP_FAILED)
		return to;
	/* Beyond M the new mapping is not in the region. */
	if (rec_region_contains((uintptr_t)to) && !rec_image.filtered) {
		h = rec_range_lock();
		all = rec_relocation_move(first, end, rec_page_at((uintptr_t)to));
		rec_range_unlock(h);
	}
	if (!all)
		copy(to, old, first, end);
	munmap(old, (end - first) * FLT_PAGE);
	return to;
}

/*
 * Let the kernel move memory, maybe over pages of the region. Their content goes, and the kernel
 * serves what comes, so no mapping gets these addresses again.
 */
static long remap(void *old, size_t old_len, size_t new_len, int flags, void *fixed)
{
	size_t first, end;
	struct rec_held h;
	long ret;

	if (!(flags & MREMAP_FIXED) || rec_range_overflows(new_len) ||
	    !rec_range_pages(fixed, new_len, &first, &end))
		return sys5(SYS_mremap, old, old_len, new_len, flags, fixed);
	h = rec_range_lock();
	rec_range_eject_pages(first, end);
	ret = sys5(SYS_mremap, old, old_len, new_len, flags, fixed);
	if (!sys_failed(ret))
		rec_range_replaced(first, end);
	rec_range_unlock(h);
	return ret;
}

REC_EXPORT void *mremap(void *old, size_t old_len, size_t new_len, int flags, ...)
{
	size_t first, end, pages = (new_len + FLT_PAGE - 1) / FLT_PAGE;
	enum outcome outcome = NOT_LIMITED;
	void *fixed = NULL;
	va_list ap;

	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) {
		va_start(ap, flags);
		fixed = va_arg(ap, void *);
		va_end(ap);
	}
	if (old_len && new_len && !rec_range_overflows(new_len) &&
	    rec_range_pages(old, old_len, &first, &end)) {
		if (rec_range_has_holes(old, old_len)) {
			errno = EFAULT;
			return MAP_FAILED;
		}
		if (new_len > old_len && rec_rlimit_forbids(new_len - old_len, true, true)) {
			errno = ENOMEM;
			return MAP_FAILED;
		}
		outcome = resize(first, end, pages, flags);
	}
	if (outcome == NOT_LIMITED)
		return (void *)rec_range_result(remap(old, old_len, new_len, flags, fixed));
	if (outcome == IN_PLACE)
		return old;
	if (!(flags & MREMAP_MAYMOVE)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return move(old, first, end, new_len);
}
