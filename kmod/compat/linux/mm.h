/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_MM_H
#define FLT_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>
#include <flt_compat.h>

/* Before 6.6 x86 had no user shadow stacks. */
#ifndef VM_SHADOW_STACK
#define VM_SHADOW_STACK VM_NONE
#endif

/* Before 5.13 userfaultfd did not handle minor faults. */
#ifndef VM_UFFD_MINOR
#define VM_UFFD_MINOR VM_NONE
#endif

/* Flags and results that older kernels never set, so that the compiler drops tests for them. */
#if !FLT_HAVE_FAULT_VMA_LOCK
#define FAULT_FLAG_VMA_LOCK 0
#endif
#if !FLT_HAVE_FAULT_UNSHARE
#define FAULT_FLAG_UNSHARE 0
#endif
#if !FLT_HAVE_FAULT_COMPLETED
#define VM_FAULT_COMPLETED ((__force vm_fault_t)0x4000)
#endif
/* For counters of presence VMA_LOCK, see flt_counter.h. */
#define FLT_PRESENT_VMA_LOCK IS_ENABLED(CONFIG_PER_VMA_LOCK)

/* Before 5.16 a compound page was named by its head page. */
#if !FLT_HAVE_FOLIO
struct folio {
	union {
		struct {
			unsigned long flags;
			struct list_head lru;
			struct address_space *mapping;
		};
		struct page page;
	};
};
static_assert(offsetof(struct folio, mapping) == offsetof(struct page, mapping));

static inline struct folio *page_folio(struct page *page)
{
	return (struct folio *)compound_head(page);
}

static inline unsigned int folio_order(struct folio *folio)
{
	return compound_order(&folio->page);
}

static inline int folio_nid(const struct folio *folio)
{
	return page_to_nid(&folio->page);
}

static inline bool folio_test_anon(struct folio *folio)
{
	return PageAnon(&folio->page);
}

static inline bool folio_test_ksm(struct folio *folio)
{
	return PageKsm(&folio->page);
}

static inline bool folio_test_swapbacked(struct folio *folio)
{
	return PageSwapBacked(&folio->page);
}

static inline bool folio_maybe_dma_pinned(struct folio *folio)
{
	return page_maybe_dma_pinned(&folio->page);
}
#endif

/* Before 6.9 there was only page_mapcount(), for a head page or a small page. */
#if !FLT_HAVE_FOLIO_MAYBE_MAPPED_SHARED
static inline bool folio_maybe_mapped_shared(struct folio *folio)
{
#if FLT_HAVE_FOLIO_LIKELY_MAPPED_SHARED
	return folio_likely_mapped_shared(folio);
#else
	return page_mapcount(&folio->page) > 1;
#endif
}
#endif

#if !FLT_HAVE_VMA_IS_COW_MAPPING
static inline bool vma_is_cow_mapping(const struct vm_area_struct *vma)
{
#if FLT_HAVE_IS_COW_MAPPING
	return is_cow_mapping(vma->vm_flags);
#else
	return (vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE;
#endif
}
#endif

#endif
