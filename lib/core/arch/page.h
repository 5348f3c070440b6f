/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page.h - FLT_PAGE: bytes of a page. FLT_PAGE_MIN, FLT_PAGE_MAX: constants, for arrays and checks.
 *
 * x86-64 has one size, so FLT_PAGE is a constant there. On other machines the kernel decides, and
 * FLT_PAGE is a call of a libc function that needs no libc thread and always returns the same.
 */
#ifndef FLT_CORE_ARCH_PAGE_H
#define FLT_CORE_ARCH_PAGE_H

#define FLT_PAGE_MIN 4096UL

#ifdef __x86_64__
#define FLT_PAGE FLT_PAGE_MIN
#define FLT_PAGE_MAX FLT_PAGE_MIN
#else
#include <stddef.h>
#include <unistd.h>

#define FLT_PAGE ((size_t)getpagesize())
#define FLT_PAGE_MAX 65536UL
#endif

#endif
