/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - read clocks in nanoseconds, and write times of day. */
#ifndef FLT_CLOCK_H
#define FLT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Return the time of a clock. The module's times are CLOCK_MONOTONIC. */
uint64_t flt_clock_ns(clockid_t clock);

/* Return what to add to a CLOCK_MONOTONIC time for nanoseconds since 1970. */
uint64_t flt_clock_wall_offset(void);

/* Room for three ints and nine decimals. */
#define FLT_CLOCK_TEXT 64

/* Write the local time of day, "23:59:59", with up to nine decimals. Return text. */
char *flt_clock_write(char text[FLT_CLOCK_TEXT], uint64_t wall_ns, int decimals);

#endif
