/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - the instructions of rec_probe_load(), in assembly.
 *
 *   REC_PROBE_LOAD	load the word at the first argument, store it to the second, return 1. The
 *			first instruction loads
 *   REC_PROBE_FAIL	return 0
 */
#ifndef FLT_REC_ARCH_PROBE_H
#define FLT_REC_ARCH_PROBE_H

#ifdef __x86_64__
#include "arch/x86/probe.h"
#else
#include "arch/arm64/probe.h"
#endif

#endif
