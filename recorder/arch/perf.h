/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h - the registers in samples of perf.
 *
 *   REC_PERF_MASK	the registers, as bits of perf_event_attr.sample_regs_user
 *   REC_PERF_REGS	their number
 *
 * rec_perf_registers() sorts the values of a sample, which begin with the lowest bit.
 */
#ifndef FLT_REC_ARCH_PERF_H
#define FLT_REC_ARCH_PERF_H

#ifdef __x86_64__
#include "arch/x86/perf.h"
#else
#include "arch/arm64/perf.h"
#endif

#endif
