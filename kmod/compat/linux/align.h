/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_ALIGN_H
#define FLT_COMPAT_LINUX_ALIGN_H

#include <flt_compat.h>
/* Before 5.11 these macros were in another header. */
#if FLT_HAVE_ALIGN_H
#include_next <linux/align.h>
#else
#include <linux/kernel.h>
#endif

#endif
