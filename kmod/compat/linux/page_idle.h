/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_PAGE_IDLE_H
#define FLT_COMPAT_LINUX_PAGE_IDLE_H

#include_next <linux/page_idle.h>
#include <linux/mm.h>
#include <flt_compat.h>

/* Before 5.16 64-bit kernels with IDLE_PAGE_TRACKING have the flags of PAGE_IDLE_FLAG. */
#if !FLT_HAVE_FOLIO && defined(CONFIG_PAGE_IDLE_FLAG)
static inline bool folio_test_idle(struct folio *folio)
{
	return page_is_idle(&folio->page);
}

static inline void folio_clear_idle(struct folio *folio)
{
	clear_page_idle(&folio->page);
}

static inline bool folio_test_young(struct folio *folio)
{
	return page_is_young(&folio->page);
}

static inline void folio_set_young(struct folio *folio)
{
	set_page_young(&folio->page);
}
#endif

#endif
