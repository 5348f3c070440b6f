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
	return rec.ready && fd >= 0 && (fd == rec.uffd || fd == rec.memfd_self);
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
	unsigned int a = (unsigned int)rec.uffd, b = (unsigned int)rec.memfd_self, x;
	long ret = 0;

	if (!rec.ready)
		return answer(sys3(SYS_close_range, first, last, flags));
	if (a > b) {
		x = a;
		a = b;
		b = x;
	}
	for (int i = 0; i < 2 && !ret; i++) {
		x = i ? b : a;
		if (x < first || x > last)
			continue;
		if (x > first)
			ret = sys3(SYS_close_range, first, x - 1, flags);
		if (x == last)
			return answer(ret);
		first = x + 1;
	}
	return answer(ret ? ret : sys3(SYS_close_range, first, last, flags));
}

EXPORT void closefrom(int first)
{
	close_range(first < 0 ? 0 : (unsigned int)first, ~0u, 0);
}
