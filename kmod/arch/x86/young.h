/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_X86_YOUNG_H
#define FLT_X86_YOUNG_H

#include <linux/bitops.h>
#include <linux/pgtable.h>

/* One comparison instead of the dozen instructions of three tests. */
static __always_inline bool flt_young_is_idle(pte_t entry)
{
	const pteval_t bits = _PAGE_PRESENT | _PAGE_SPECIAL | _PAGE_DEVMAP | _PAGE_ACCESSED;

	return (native_pte_val(entry) & bits) == _PAGE_PRESENT;
}

static __always_inline unsigned long flt_young_shared(const pte_t *pte, pte_t entry,
						      unsigned long left)
{
	return 1;
}

/* The kernel does not export its functions for this, which take one instruction. */
static __always_inline bool flt_young_clear_pte(struct vm_area_struct *vma, unsigned long address,
						pte_t *pte, pte_t entry)
{
	return pte_young(entry) && test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pte);
}

static __always_inline bool flt_young_clear_pmd(struct vm_area_struct *vma, unsigned long address,
						pmd_t *pmd)
{
	return test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pmd);
}

#endif
