// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/clock.h"

#include "text/units.h"

uint64_t flt_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * FLT_NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

uint64_t flt_clock_wall_offset(void)
{
	return flt_clock_ns(CLOCK_REALTIME) - flt_clock_ns(CLOCK_MONOTONIC);
}
