/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libc.h - names of libc on this architecture.
 *
 *   REC_LIBC_VERSION	version of its oldest symbols
 *   REC_LIBC_LINKER	path of the dynamic linker, which the ABI fixes
 *   REC_LIBC_MACHINE	e_machine of ELF files
 *   REC_LIBC_OTHER	why a program for another machine runs unrecorded
 */
#ifndef FLT_REC_ARCH_LIBC_H
#define FLT_REC_ARCH_LIBC_H

#ifdef __x86_64__
#include "arch/x86/libc.h"
#else
#include "arch/arm64/libc.h"
#endif

#endif
