/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_MM_H
#define FLT_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>
#include <linux/version.h>

/* Before 6.6 x86 had no user shadow stacks. */
#ifndef VM_SHADOW_STACK
#define VM_SHADOW_STACK VM_NONE
#endif

/* Before 6.9 there was only page_mapcount(), for a head page or a small page. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define folio_likely_mapped_shared(folio) (page_mapcount(&(folio)->page) > 1)
#endif

#endif
