/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - time in nanoseconds. The module's times are CLOCK_MONOTONIC. */
#ifndef FLT_CLOCK_H
#define FLT_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t flt_clock_ns(clockid_t clock);

/* What to add to a CLOCK_MONOTONIC time for the time of day, as it is now. */
uint64_t flt_clock_wall_offset(void);

#endif
