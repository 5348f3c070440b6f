/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_ARM64_PROTNONE_H
#define FLT_ARM64_PROTNONE_H

#define FLT_PROTNONE_PTE_PFN 0
#define FLT_PROTNONE_PMD_PFN 0

static inline bool flt_protnone_is_possible(void)
{
	return true;
}

static inline u64 flt_protnone_make(u64 old, u64 pfn_mask)
{
	return (old & ~(PTE_VALID | PTE_USER)) | PTE_UXN | FLT_PROTNONE_BITS;
}

/*
 * Also makes the entries of NUMA balancing accessible. pte_modify() has cleared more bits in these:
 * the memory type, which tells whether memory has tags (MTE), the guard of branches (BTI) and the
 * protection key. The mapping has the right values.
 */
static inline u64 flt_protnone_access(u64 old, u64 pfn_mask, const struct vm_area_struct *vma)
{
	const u64 taken = PTE_USER | PTE_UXN | PTE_GP | PTE_ATTRINDX_MASK | PTE_PO_IDX_MASK;

	return (old & ~(taken | FLT_PROTNONE_OFF)) | PTE_VALID |
	       (pgprot_val(vma->vm_page_prot) & taken);
}

static inline pte_t flt_protnone_split(struct mm_struct *mm, unsigned long address, pte_t *pte,
				       pte_t entry)
{
#ifdef CONFIG_ARM64_CONTPTE
	if (pte_cont(entry)) {
		contpte_try_unfold(mm, address, pte, entry);
		entry = READ_ONCE(*pte);
	}
#endif
	return entry;
}

#endif
