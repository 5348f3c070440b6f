// SPDX-License-Identifier: GPL-2.0-only
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/userfaultfd_k.h>
#include "mm/kind.h"

static bool writes(unsigned int flags)
{
	return flags & (FAULT_FLAG_WRITE | FAULT_FLAG_UNSHARE);
}

/* Return the kind for a PMD that does not point to a page table. */
u8 flt_kind_huge(struct vm_area_struct *vma, pmd_t pmd, unsigned int flags)
{
	if (!pmd_present(pmd))
		return flt_pmd_is_migration(pmd) ? FLT_KIND_MIGRATION : FLT_KIND_UNKNOWN;
	if (flt_pmd_is_dax(vma, pmd))
		return FLT_KIND_DEVICE;
	if (pmd_protnone(pmd) && vma_is_accessible(vma))
		return userfaultfd_huge_pmd_rwp(vma, pmd) ? FLT_KIND_UFFD : FLT_KIND_NUMA;
	if (writes(flags) && !pmd_write(pmd))
		return FLT_KIND_HUGE;
	return FLT_KIND_SPURIOUS;
}

u8 flt_kind_hole(const struct vm_area_struct *vma, unsigned int flags, unsigned long *pfn)
{
	*pfn = 0;
	return flt_kind_missing(vma, flags) | FLT_KIND_PROVISIONAL;
}

static u8 not_present(struct vm_area_struct *vma, pte_t pte, unsigned int flags)
{
	flt_leaf_t entry = flt_leaf_from_pte(pte);

	if (flt_leaf_is_swap(entry))
		return FLT_KIND_SWAP;
	if (flt_leaf_is_migration(entry))
		return FLT_KIND_MIGRATION;
	/* The uffd-wp marker replaces an unmapped page; the page is missing. */
	if (flt_leaf_is_uffd_wp_marker(entry))
		return flt_kind_missing(vma, flags);
	return FLT_KIND_DEVICE;
}

/* Return the kind for a PTE that is not empty. Same order of tests as handle_pte_fault(). */
u8 flt_kind_present(struct vm_area_struct *vma, pte_t pte, unsigned int flags,
		    unsigned long *pfn)
{
	if (!pte_present(pte))
		return not_present(vma, pte, flags);
	if (pte_protnone(pte) && vma_is_accessible(vma))
		return userfaultfd_pte_rwp(vma, pte) ? FLT_KIND_UFFD : FLT_KIND_NUMA;
	if (!writes(flags) || pte_write(pte))
		return FLT_KIND_SPURIOUS;
	if (vma->vm_flags & (VM_SHARED | VM_MAYSHARE) || pte_uffd(pte))
		return FLT_KIND_WP;
	/* The kernel reuses the page without a copy if the process is its only owner. */
	*pfn = pte_pfn(pte);
	return FLT_KIND_COW | FLT_KIND_PROVISIONAL;
}

u8 flt_kind_confirm(u8 kind, unsigned long pfn, struct mm_struct *mm, unsigned long address)
{
	union flt_walk_entry entry;

	switch (flt_walk(mm, address, &entry)) {
	case FLT_WALK_PMD:
		if (!pfn && kind != FLT_KIND_UFFD && pmd_present(entry.pmd))
			return FLT_KIND_HUGE;
		break;
	case FLT_WALK_PTE:
		if (pfn && pte_present(entry.pte) && pte_pfn(entry.pte) == pfn)
			return FLT_KIND_WP;
		break;
	default:
		break;
	}
	return kind;
}
