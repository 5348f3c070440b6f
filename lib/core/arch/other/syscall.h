/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For libfltuffd, which always has a libc thread. The recorder does not run here. */
#ifndef FLT_CORE_OTHER_SYSCALL_H
#define FLT_CORE_OTHER_SYSCALL_H

#include <errno.h>
#include <unistd.h>

static inline long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	long ret = syscall(n, a, b, c, d, e, f);

	return ret == -1 ? -errno : ret;
}

#endif
