/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries with PTE_CONT are parts of a block that is one translation. The processor sets the
 * accessed bit in any entry of a block, whichever page was accessed (arch/arm64/mm/contpte.c).
 */
#ifndef FLT_ARM64_YOUNG_H
#define FLT_ARM64_YOUNG_H

#include <linux/minmax.h>
#include <linux/pgtable.h>

static __always_inline bool flt_young_is_idle(pte_t entry)
{
	const pteval_t bits = PTE_VALID | PTE_SPECIAL | PTE_AF | PTE_CONT;

	return (pte_val(entry) & bits) == PTE_VALID && !flt_pte_is_dax(entry);
}

static __always_inline unsigned long flt_young_shared(const pte_t *pte, pte_t entry,
						      unsigned long left)
{
	unsigned long index = (unsigned long)pte / sizeof(*pte) % CONT_PTES;

	return pte_cont(entry) ? min(CONT_PTES - index, left) : 1;
}

static __always_inline bool flt_young_clear_pte(struct vm_area_struct *vma, unsigned long address,
						pte_t *pte, pte_t entry)
{
	return (pte_young(entry) || pte_cont(entry)) &&
	       ptep_test_and_clear_young(vma, address, pte);
}

static __always_inline bool flt_young_clear_pmd(struct vm_area_struct *vma, unsigned long address,
						pmd_t *pmd)
{
	return pmdp_test_and_clear_young(vma, address, pmd);
}

#endif
