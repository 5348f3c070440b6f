/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sigreturn.h - code that returns from a signal handler, for one file.
 *
 *   REC_SIGRETURN_FLAG	tells the kernel to use rec_sigreturn; 0: the kernel has such code
 */
#ifndef FLT_REC_ARCH_SIGRETURN_H
#define FLT_REC_ARCH_SIGRETURN_H

#ifdef __x86_64__
#include "arch/x86/sigreturn.h"
#else
#include "arch/arm64/sigreturn.h"
#endif

#endif
