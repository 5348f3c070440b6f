// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/clock.h"

#include <inttypes.h>
#include <stdio.h>

#include "text/units.h"

#define READINGS 20

uint64_t flt_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * FLT_NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

uint64_t flt_clock_wall_offset(void)
{
	uint64_t before, wall, took, quickest = UINT64_MAX, offset = 0;
	int i;

	/* Between two readings the thread may lose its CPU for milliseconds. */
	for (i = 0; i < READINGS; i++) {
		before = flt_clock_ns(CLOCK_MONOTONIC);
		wall = flt_clock_ns(CLOCK_REALTIME);
		took = flt_clock_ns(CLOCK_MONOTONIC) - before;
		if (took >= quickest)
			continue;
		quickest = took;
		offset = wall - before - took / 2;
	}
	return offset;
}

char *flt_clock_write(char text[FLT_CLOCK_TEXT], uint64_t wall_ns, int decimals)
{
	time_t when = (time_t)(wall_ns / FLT_NSEC_PER_SEC);
	uint64_t part = wall_ns % FLT_NSEC_PER_SEC;
	struct tm tm;
	int i;

	if (!localtime_r(&when, &tm)) {
		snprintf(text, FLT_CLOCK_TEXT, "-");
		return text;
	}
	for (i = decimals; i < 9; i++)
		part /= 10;
	if (decimals)
		snprintf(text, FLT_CLOCK_TEXT, "%02d:%02d:%02d.%0*" PRIu64, tm.tm_hour, tm.tm_min,
			 tm.tm_sec, decimals, part);
	else
		snprintf(text, FLT_CLOCK_TEXT, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
	return text;
}
