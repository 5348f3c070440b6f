// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * descriptor.c - programs that close every descriptor must not close ours.
 *
 * To the program ours are not open: closing one is EBADF, a range passes over
 * them.
 */
#include "rec.h"

#include <errno.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static bool ours(int fd)
{
	return rec.ready && fd >= 0 &&
	       (fd == rec.uffd || fd == rec.memfd_self || (rec.inlined && fd == rec.filter));
}

static int answer(long ret)
{
	if (ret >= 0)
		return (int)ret;
	errno = (int)-ret;
	return -1;
}

EXPORT int close(int fd)
{
	return answer(ours(fd) ? -EBADF : sys1(SYS_close, fd));
}

EXPORT int dup2(int old, int new)
{
	return answer(ours(old) || ours(new) ? -EBADF : sys2(SYS_dup2, old, new));
}

EXPORT int dup3(int old, int new, int flags)
{
	return answer(ours(old) || ours(new) ? -EBADF : sys3(SYS_dup3, old, new, flags));
}

EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	uint64_t from = first, gap;
	long ret = 0;

	if (!rec.ready || first > last)
		return answer(sys3(SYS_close_range, first, last, flags));
	while (!ret && from <= last) {
		int mine[3] = { rec.uffd, rec.memfd_self, rec.inlined ? rec.filter : -1 };

		/* up to the next one of ours, then over it */
		gap = (uint64_t)last + 1;
		for (int i = 0; i < 3; i++)
			if (mine[i] >= 0 && (uint64_t)mine[i] >= from && (uint64_t)mine[i] < gap)
				gap = (uint64_t)mine[i];
		if (gap > from)
			ret = sys3(SYS_close_range, from, gap - 1, flags);
		from = gap + 1;
	}
	return answer(ret);
}

EXPORT void closefrom(int first)
{
	close_range(first < 0 ? 0 : (unsigned int)first, ~0u, 0);
}
