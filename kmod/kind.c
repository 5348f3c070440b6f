// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include "kind.h"

/* A huge mapping, or the swap-like entry of one. */
void flt_kind_huge(struct flt_kind_trace *k, struct vm_area_struct *vma, pmd_t pmd,
		   unsigned int flags)
{
	if (!pmd_present(pmd))
		k->kind = is_pmd_migration_entry(pmd) ? FLT_KIND_MIGRATION : FLT_KIND_UNKNOWN;
	else if (pmd_devmap(pmd))
		k->kind = FLT_KIND_DEVICE;
	else if (pmd_protnone(pmd) && vma_is_accessible(vma))
		k->kind = FLT_KIND_NUMA;
	else if (flt_kind_writes(flags) && !pmd_write(pmd))
		k->kind = FLT_KIND_HUGE;
	else
		k->kind = FLT_KIND_SPURIOUS;
}

static u8 not_present(struct vm_area_struct *vma, pte_t pte, unsigned int flags)
{
	swp_entry_t entry = pte_to_swp_entry(pte);

	if (!non_swap_entry(entry))
		return FLT_KIND_SWAP;
	if (is_migration_entry(entry))
		return FLT_KIND_MIGRATION;
	/* A marker stands where a page was: the fault goes on as a missing one. */
	if (is_pte_marker_entry(entry) && pte_marker_get(entry) & PTE_MARKER_UFFD_WP)
		return flt_kind_missing(vma, flags);
	return FLT_KIND_DEVICE;
}

/* A 4 KiB entry that is not empty, in the order of handle_pte_fault(). */
void flt_kind_entry(struct flt_kind_trace *k, struct vm_area_struct *vma, pte_t pte,
		    unsigned int flags)
{
	if (!pte_present(pte)) {
		k->kind = not_present(vma, pte, flags);
		return;
	}
	if (pte_protnone(pte) && vma_is_accessible(vma)) {
		k->kind = FLT_KIND_NUMA;
		return;
	}
	if (!flt_kind_writes(flags) || pte_write(pte)) {
		k->kind = FLT_KIND_SPURIOUS;
		return;
	}
	if (vma->vm_flags & (VM_SHARED | VM_MAYSHARE) || pte_uffd_wp(pte)) {
		k->kind = FLT_KIND_WP;
		return;
	}
	/* The kernel copies unless it finds itself the only owner; the outcome tells. */
	k->kind = FLT_KIND_COW;
	k->pfn = pte_pfn(pte);
	k->settle = true;
}

/* NULL where no PMD can be: address was in @mm when the fault began. */
static pmd_t *pmd_of(struct mm_struct *mm, unsigned long address)
{
	pgd_t *pgd = pgd_offset(mm, address);
	p4d_t *p4d;
	pud_t *pud;

	if (pgd_none(READ_ONCE(*pgd)))
		return NULL;
	p4d = p4d_offset(pgd, address);
	if (p4d_none(READ_ONCE(*p4d)))
		return NULL;
	pud = pud_offset(p4d, address);
	if (pud_none(READ_ONCE(*pud)) || pud_leaf(READ_ONCE(*pud)))
		return NULL;
	return pmd_offset(pud, address);
}

void flt_kind_settle(struct flt_kind_trace *k, struct mm_struct *mm, unsigned long address)
{
	pmd_t *pmd = pmd_of(mm, address);
	pmd_t val;
	pte_t pte;

	if (!pmd)
		return;
	val = READ_ONCE(*pmd);
	if (pmd_none(val) || !pmd_present(val))
		return;
	if (!k->pfn) {
		if (pmd_leaf(val))
			k->kind = FLT_KIND_HUGE;
		return;
	}
	if (pmd_leaf(val))
		return;
	pte = READ_ONCE(*pte_offset_kernel(pmd, address));
	if (pte_present(pte) && pte_pfn(pte) == k->pfn)
		k->kind = FLT_KIND_WP;
}
