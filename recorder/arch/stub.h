/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stub.h - syscall() of libc, in assembly, for one file. It calls rec_syscall_replaced(),
 * rec_clone_is_fork() and rec_clone_fork() for the numbers that the recorder replaces.
 *
 * It is in assembly, as in libc, because a call such as vfork or clone may return twice or on
 * another stack. A C function would not survive that.
 */
#ifndef FLT_REC_ARCH_STUB_H
#define FLT_REC_ARCH_STUB_H

#include <sys/syscall.h>

#define REC_STUB_TEXT_OF(n) #n
#define REC_STUB_TEXT(n) REC_STUB_TEXT_OF(n)

#ifdef __x86_64__
#include "arch/x86/stub.h"
#else
#include "arch/arm64/stub.h"
#endif

#endif
