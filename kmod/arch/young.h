/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * young - the accessed bits of entries in page tables. The caller holds the page table lock.
 *
 * flt_young_is_idle() is a quick test that settles most entries: true means that @entry maps a
 * page that was not accessed. After false the caller has to look closer.
 *
 * flt_young_shared() returns how many entries from @pte on, at most @left, share one accessed
 * bit.
 *
 * flt_young_clear_pte() clears the accessed bit of @pte, whose value is @entry, and of all
 * entries that share the bit. It returns whether the bit was set. flt_young_clear_pmd() does the
 * same for a huge page.
 */
#ifndef FLT_YOUNG_H
#define FLT_YOUNG_H

#ifdef CONFIG_X86_64
#include "arch/x86/young.h"
#else
#include "arch/arm64/young.h"
#endif

#endif
