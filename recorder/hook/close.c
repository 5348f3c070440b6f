// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * close.c - a program that closes all descriptors must not close those of the recorder.
 *
 * To the program the recorder's descriptors are not open: closing one fails with EBADF, and
 * closing a range skips them.
 */
#include "image/image.h"
#include "pager/touch_ring.h"
#include "range.h"
#include "recent.h"
#include "region/region.h"
#include "thread/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define OWN 5

static void list_own(int own[OWN])
{
	own[0] = rec_image_is_ready() ? rec_region.uffd : -1;
	own[1] = rec_image_is_ready() ? rec_region.memory : -1;
	own[2] = rec_image_is_ready() ? rec_threads.filter : -1;
	own[3] = own[4] = -1;
	if (rec_image_is_ready())
		rec_touch_ring_descriptors(own + 3);
}

static bool is_own(int fd)
{
	int own[OWN];

	list_own(own);
	for (int i = 0; i < OWN; i++)
		if (fd >= 0 && fd == own[i])
			return true;
	return false;
}

REC_EXPORT int close(int fd)
{
	return (int)rec_range_result(is_own(fd) ? -EBADF : sys1(SYS_close, fd));
}

REC_EXPORT int dup2(int old, int new)
{
	if (is_own(old) || is_own(new))
		return (int)rec_range_result(-EBADF);
#ifdef SYS_dup2
	return (int)rec_range_result(sys2(SYS_dup2, old, new));
#else
	/* dup3() refuses to copy a descriptor to itself. */
	if (old == new && !sys_failed(sys2(SYS_fcntl, old, F_GETFD)))
		return new;
	if (old == new)
		return (int)rec_range_result(-EBADF);
	return (int)rec_range_result(sys3(SYS_dup3, old, new, 0));
#endif
}

REC_EXPORT int dup3(int old, int new, int flags)
{
	if (is_own(old) || is_own(new))
		return (int)rec_range_result(-EBADF);
	return (int)rec_range_result(sys3(SYS_dup3, old, new, flags));
}

REC_EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	uint64_t from = first, gap;
	int own[OWN];
	long ret = 0;

	if (!rec_image_is_ready() || first > last)
		return (int)rec_range_result(sys3(SYS_close_range, first, last, flags));
	list_own(own);
	while (!ret && from <= last) {
		/* Close up to the recorder's next descriptor and go on after it. */
		gap = (uint64_t)last + 1;
		for (int i = 0; i < OWN; i++)
			if (own[i] >= 0 && (uint64_t)own[i] >= from && (uint64_t)own[i] < gap)
				gap = (uint64_t)own[i];
		if (gap > from)
			ret = sys3(SYS_close_range, from, gap - 1, flags);
		from = gap + 1;
	}
	return (int)rec_range_result(ret);
}

REC_EXPORT void closefrom(int first)
{
	close_range(first < 0 ? 0 : (unsigned int)first, ~0u, 0);
}
