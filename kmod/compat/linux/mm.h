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

/* Until 6.4 every fault held mmap_lock. Never set, so that the compiler drops tests for it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define FAULT_FLAG_VMA_LOCK 0
#endif
/* For counters of presence VMA_LOCK, see flt_counter.h. */
#define FLT_PRESENT_VMA_LOCK IS_ENABLED(CONFIG_PER_VMA_LOCK)

#endif
