// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * relocation.c - move pages within the region as mremap() does natively: untouched pages stay
 * untouched, evicted pages stay evicted, resident pages are resident elsewhere.
 */
#include "relocation.h"

#include "lib/core/move.h"
#include "lib/core/uffd.h"
#include "limit.h"
#include "region/region.h"
#include "region/shadow.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/types.h>

#define RUN      512
#define ATTEMPTS 64	/* while the kernel changes the address space */

/* Copy one page that cannot be moved: pinned memory, or a kernel without UFFDIO_MOVE. */
static int copy_page(uintptr_t to, uintptr_t from, bool evicted)
{
	static char content[FLT_PAGE_MAX];	/* guarded by the pager lock */
	bool plain = evicted && !rec_shadow.can_move;	/* the shadow is not registered then */
	long got;
	int ret;

	got = sys4(SYS_pread64, rec_region.memory, plain ? (char *)to : content, FLT_PAGE, from);
	/* Only -EIO says that the page is missing. After other errors the page may have content. */
	if (got != (long)FLT_PAGE)
		return got == -EIO ? -ENOENT : got < 0 ? (int)got : -EFAULT;
	ret = plain ? 0 : uffd_copy(rec_region.uffd, to, (uintptr_t)content, FLT_PAGE, 0);
	if (!ret)
		sys3(SYS_madvise, from, FLT_PAGE, MADV_DONTNEED);
	return ret;
}

/* Move up to `pages` neighbours. Return how many moved, or -errno of the first. */
static ssize_t move_run(uintptr_t to, uintptr_t from, size_t pages, bool evicted)
{
	size_t moved = 0;
	int ret = -EBUSY;

	for (int tries = 0; rec_shadow.can_move && tries < ATTEMPTS; tries++) {
		ret = flt_move(&rec_region, to, from, pages, UFFDIO_MOVE_MODE_DONTWAKE, &moved);
		if (moved)
			return (ssize_t)moved;
		if (ret == -EINVAL && pages > 1)
			pages = 1;	/* the run crosses two mappings */
		else if (ret == -EEXIST && evicted)
			sys3(SYS_madvise, to, FLT_PAGE, MADV_DONTNEED);	/* kept for a child */
		else if (ret == -EBUSY && tries < 2 && !rec_shadow_unshare(from))
			continue;
		else if (ret != -EAGAIN)
			break;
	}
	if (ret != -ENOENT)
		ret = copy_page(to, from, evicted);
	return ret ? ret : 1;
}

/* Return the number of pages from `first` on that have the same state, at most RUN. */
static size_t run_length(size_t first, size_t end)
{
	size_t n = 1;

	while (first + n < end && n < RUN && rec_page_state(first + n) == rec_page_state(first))
		n++;
	return n;
}

bool rec_relocation_move(size_t first, size_t end, size_t to)
{
	bool all = true;
	ssize_t n;

	for (; first < end; first += (size_t)n, to += (size_t)n) {
		enum page_state state = rec_page_state(first);
		bool evicted = state == PAGE_EVICTED;
		uintptr_t distance = evicted ? rec_shadow.distance : 0;

		n = (ssize_t)run_length(first, end);
		if (state == PAGE_EMPTY)
			continue;
		n = move_run(rec_page_address(to) + distance, rec_page_address(first) + distance,
			     (size_t)n, evicted);
		for (size_t i = 0; (ssize_t)i < n; i++) {
			rec_page_reset(first + i, PAGE_EMPTY);
			rec_page_reset(to + i, state);
			if (!evicted)
				flt_region_queue(&rec_region, to + i);
		}
		/* The program dropped the page unseen: it reads as zeros in both places. */
		if (n == -ENOENT)
			rec_limit_discard(first, first + 1);
		else if (n < 0)
			all = false;
		if (n < 0)
			n = 1;
	}
	return all;
}
