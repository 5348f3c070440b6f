/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_SWAP_H
#define FLT_COMPAT_LINUX_SWAP_H

#include_next <linux/swap.h>
#include <linux/mm.h>
#include <flt_compat.h>

#if !FLT_HAVE_FOLIO
static inline void folio_mark_accessed(struct folio *folio)
{
	mark_page_accessed(&folio->page);
}
#endif

#endif
