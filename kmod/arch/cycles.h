/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycles - the counter of the processor from which CLOCK_MONOTONIC is computed.
 *
 *   FLT_CYCLES_NAME	the name that users see
 *   FLT_CYCLES_BITS	a difference of so many bits times flt_clock_mult fits into 64 bits. clock.c
 *			does not use counters that are too slow for this
 *
 * flt_cycles_read() returns a reading. flt_cycles_hz() returns the frequency, or 0 if the kernel
 * does not trust the counter. It is called once and may sleep. @find returns the address of a
 * function that the kernel does not export, or NULL.
 */
#ifndef FLT_CYCLES_H
#define FLT_CYCLES_H

#ifdef CONFIG_X86_64
#include "arch/x86/cycles.h"
#else
#include "arch/arm64/cycles.h"
#endif

#endif
