/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* syscall.h - sys6(): make a system call with up to six arguments. Returns its result or -errno. */
#ifndef FLT_CORE_ARCH_SYSCALL_H
#define FLT_CORE_ARCH_SYSCALL_H

#if defined(__x86_64__)
#include "x86/syscall.h"
#elif defined(__aarch64__)
#include "arm64/syscall.h"
#else
#include "other/syscall.h"
#endif

#endif
