/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_X86_PROTNONE_H
#define FLT_X86_PROTNONE_H

#include <asm/cpufeature.h>

#define FLT_PROTNONE_PTE_PFN PTE_PFN_MASK
#define FLT_PROTNONE_PMD_PFN PHYSICAL_PMD_PAGE_MASK

/* Present entries of a Xen PV guest hold machine frame numbers, others hold guest frames. */
static inline bool flt_protnone_is_possible(void)
{
	return !boot_cpu_has(X86_FEATURE_XENPV);
}

static inline u64 flt_protnone_make(u64 old, u64 pfn_mask)
{
	return flip_protnone_guard(old, (old & ~(_PAGE_PRESENT | _PAGE_USER)) | _PAGE_PROTNONE,
				   pfn_mask);
}

/* pte_modify() does the same, but modules cannot use it on 6.1. */
static inline u64 flt_protnone_access(u64 old, u64 pfn_mask, const struct vm_area_struct *vma)
{
	const u64 taken = _PAGE_PRESENT | _PAGE_USER | _PAGE_NX | _PAGE_PKEY_MASK;
	const u64 mapping = pgprot_val(vma->vm_page_prot) & __supported_pte_mask & taken;

	return flip_protnone_guard(old, (old & ~(taken | _PAGE_PROTNONE)) | mapping, pfn_mask);
}

static inline pte_t flt_protnone_split(struct mm_struct *mm, unsigned long address, pte_t *pte,
				       pte_t entry)
{
	return entry;
}

#endif
