// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * past_clock.c - a library that replaces clock_gettime(), as libfaketime does. The time is in the
 * past, and the function needs a libc thread.
 */
#include <dlfcn.h>
#include <time.h>

static __thread unsigned char calls[1 << 16];

int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int (*next)(clockid_t clock, struct timespec *time);
	int ret;

	if (!next)
		next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	ret = next(clock, time);
	time->tv_sec -= 1000000;
	calls[time->tv_nsec & 0xffff]++;
	return ret;
}
