/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switch - arm the probe that counts faults, and switch from one to the other (mode.h).
 * Callers of all functions but flt_switch_is_returns() hold the lock of session.c.
 */
#ifndef FLT_SWITCH_H
#define FLT_SWITCH_H

#include "fault/mode.h"

/* Start and stop counting. All may sleep. Return 0 or the error of arming a probe. */
int flt_switch_start(void);
void flt_switch_stop(void);

/*
 * Probe returns, too, while faults are counted: from the first get until flt_switch_settle() is
 * called after the last put. After either, the caller arranges for flt_switch_settle().
 */
int flt_switch_get_returns(void);
void flt_switch_put_returns(void);

/* Change to the cheapest probe that suffices, and remove the other one. Waits for grace periods. */
void flt_switch_settle(void);

/*
 * If the return probe had no instance for a call, so that it missed the call, let the next larger
 * probe take over. Also settles. Call from time to time while returns are probed: otherwise a user
 * whose threads sleep in faults could make the probe miss all others.
 */
void flt_switch_grow(void);

/* Return true while returns are probed. */
bool flt_switch_is_returns(void);

#endif
