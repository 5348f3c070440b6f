/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - the time, without libc: a library such as libfaketime replaces clock_gettime(), needs
 * a libc thread, which the fault server is not, and has another time than perf.
 */
#ifndef FLT_REC_CLOCK_H
#define FLT_REC_CLOCK_H

#include <stdint.h>

/*
 * Find the function of the vDSO, and the offset of the time namespace. Before, and without the
 * function, rec_now() is a system call.
 */
void rec_clock_init(void);
/* Return CLOCK_MONOTONIC of the initial time namespace in ns, as perf and fltctl do. */
uint64_t rec_now(void);

#endif
