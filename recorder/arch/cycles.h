/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles.h - a counter of the processor, for loops that wait for another CPU.
 *
 *   rec_cycles_read()	the counter
 *   rec_cycles_spin()	how far it counts in about 20 us
 *   rec_cycles_relax()	tell the processor that this loop waits
 */
#ifndef FLT_REC_ARCH_CYCLES_H
#define FLT_REC_ARCH_CYCLES_H

#ifdef __x86_64__
#include "arch/x86/cycles.h"
#else
#include "arch/arm64/cycles.h"
#endif

#endif
