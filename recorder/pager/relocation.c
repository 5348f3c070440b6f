// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * relocate.c - a mapping's pages go along when it moves within the region.
 *
 * As mremap() does natively: what was never touched stays so, what is evicted stays
 * evicted, and what is resident is so elsewhere. The caller holds both locks, and no
 * fork is under way.
 */
#include "rec.h"
#include "uffd.h"

#include <errno.h>
#include <sys/mman.h>

#define RUN   512
#define TRIES 64	/* the kernel asks to come again while it changes the address space */

static void set(size_t page, enum rec_page state)
{
	rec.page[page] = (uint8_t)((rec.page[page] & REC_QUEUED) | state);
}

/* One page that cannot be moved: older kernels, pinned memory. */
static int copy(uintptr_t to, uintptr_t from, bool shadow)
{
	static char content[REC_PAGE];	/* the pager lock guards it */
	bool plain = shadow && !rec.can_move;	/* not registered: ordinary memory */
	int ret;

	if (sys4(SYS_pread64, rec.memfd_self, plain ? (char *)to : content, REC_PAGE, from) !=
	    (long)REC_PAGE)
		return -ENOENT;
	ret = plain ? 0 : uffd_copy(rec.uffd, to, (uintptr_t)content, REC_PAGE, 0);
	if (!ret)
		sys3(SYS_madvise, from, REC_PAGE, MADV_DONTNEED);
	return ret;
}

/* Up to `pages`; how many have gone, or -errno of the first. */
static ssize_t move(uintptr_t to, uintptr_t from, size_t pages, bool shadow)
{
	size_t moved = 0;
	int ret = -EBUSY;

	for (int tries = 0; rec.can_move && tries < TRIES; tries++) {
		ret = rec_move(to, from, pages, UFFDIO_MOVE_MODE_DONTWAKE, &moved);
		if (moved)
			return (ssize_t)moved;
		if (ret == -EINVAL && pages > 1)
			pages = 1;	/* they cross two mappings */
		else if (ret == -EEXIST && shadow)
			sys3(SYS_madvise, to, REC_PAGE, MADV_DONTNEED);	/* left over by a fork */
		else if (ret == -EBUSY && tries < 2 && !rec_evict_unshare(from))
			continue;
		else if (ret != -EAGAIN)
			break;
	}
	if (ret != -ENOENT)
		ret = copy(to, from, shadow);
	return ret ? ret : 1;
}

bool rec_pager_relocate(size_t first, size_t end, size_t to)
{
	bool all = true;
	size_t pages, i;
	ssize_t n;

	for (; first < end; first += (size_t)n, to += (size_t)n) {
		int state = rec.page[first] & REC_STATE;
		bool shadow = state == REC_SHADOW;
		uintptr_t away = shadow ? rec.distance : 0;

		for (pages = 1; first + pages < end && pages < RUN; pages++)
			if ((rec.page[first + pages] & REC_STATE) != state)
				break;
		n = (ssize_t)pages;
		if (state == REC_EMPTY)
			continue;
		n = move(rec.lo + to * REC_PAGE + away, rec.lo + first * REC_PAGE + away, pages, shadow);
		for (i = 0; (ssize_t)i < n; i++) {
			set(first + i, REC_EMPTY);
			set(to + i, (enum rec_page)state);
			if (!shadow)
				rec_evict_push((uint32_t)(to + i));
		}
		/* dropped by a call we did not see: zeros here, and there */
		if (n == -ENOENT)
			rec_pager_discard(first, first + 1);
		else if (n < 0)
			all = false;
		if (n < 0)
			n = 1;
	}
	return all;
}
