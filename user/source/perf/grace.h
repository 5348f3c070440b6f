/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grace.h - a time up to which all perf events are in their rings.
 *
 * An event may be in its ring long after its time, if the kernel loses the CPU between the two, as
 * in a virtual machine. The kernel takes the time of an event, and writes the event, with
 * preemption disabled (__perf_sw_event(), perf_iterate_sb()). So both lie before the end of a grace
 * period of RCU that began after the time. membarrier(2) with MEMBARRIER_CMD_GLOBAL waits for such
 * a period, some milliseconds, in a thread of its own.
 *
 * Kernels with nohz_full refuse that command. There, the time is the current one, and an event may
 * come after later ones.
 */
#ifndef FLT_PERF_GRACE_H
#define FLT_PERF_GRACE_H

#include <stdint.h>

struct flt_grace;

/* Return 0 or -errno. */
int flt_grace_new(struct flt_grace **grace);
/* NULL is allowed. */
void flt_grace_free(struct flt_grace *grace);

/*
 * Return a time (CLOCK_MONOTONIC ns). Events up to it were in their rings before the call. Does not
 * wait: also asks for a later time, for the next call. 0: none yet.
 */
uint64_t flt_grace_horizon(struct flt_grace *grace);
/* Wait until all events before the call are in their rings. */
void flt_grace_wait(void);

#endif
