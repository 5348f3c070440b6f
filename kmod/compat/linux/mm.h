/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_MM_H
#define FLT_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>
#include <linux/version.h>

/* Until 6.6 x86 had no shadow stacks for user code. */
#ifndef VM_SHADOW_STACK
#define VM_SHADOW_STACK VM_NONE
#endif

/* Until 6.9 it was asked of a page: a huge page's head, or one that is small. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define folio_likely_mapped_shared(folio) (page_mapcount(&(folio)->page) > 1)
#endif

#endif
