/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switch - arm the probe that counts faults, and switch from one to the other (mode.h).
 * Callers of all functions but flt_switch_mode() hold the lock of session.c.
 */
#ifndef FLT_SWITCH_H
#define FLT_SWITCH_H

#include "fault/mode.h"

/* Start and stop counting. All may sleep. Return 0 or the error of arming a probe. */
int flt_switch_start(void);
void flt_switch_stop(void);

/* Probe returns, too, from the first get to the last put, while faults are counted. */
int flt_switch_get_returns(void);
void flt_switch_put_returns(void);

enum flt_mode flt_switch_mode(void);

#endif
