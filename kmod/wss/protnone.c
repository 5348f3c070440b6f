// SPDX-License-Identifier: GPL-2.0-only
#include <linux/userfaultfd_k.h>
#include "arch/protnone.h"
#include "wss/protnone.h"

#if FLT_WSS_CAN_PROTECT

bool flt_wss_can_protect(void)
{
	return flt_protnone_is_possible();
}

/*
 * Device memory and shadow stacks use special entries. With userfaultfd another process
 * handles the faults. In a mapping without access rights, a PROT_NONE entry means that an
 * access is an error: the kernel sends SIGSEGV.
 */
bool flt_wss_can_protect_vma(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & (VM_MIXEDMAP | VM_SHADOW_STACK)) &&
	       vma_is_accessible((struct vm_area_struct *)vma) &&
	       !userfaultfd_armed((struct vm_area_struct *)vma);
}

/* NUMA balancing skips the same pages: KSM, and shared or pinned copy-on-write pages. */
static bool must_skip(struct folio *folio, const struct vm_area_struct *vma)
{
	return folio_test_ksm(folio) ||
	       (vma_is_cow_mapping(vma) &&
		(folio_maybe_dma_pinned(folio) || folio_maybe_mapped_shared(folio)));
}

/* Under the page table lock only the CPU changes the entry: it sets accessed and dirty bits. */
bool flt_wss_protect_pte(unsigned long address, pte_t *pte, pte_t entry,
			 const struct vm_area_struct *vma, struct flt_wss_count *count)
{
	if (pte_protnone(entry))
		return false;
	if (must_skip(page_folio(pfn_to_page(pte_pfn(entry))), vma)) {
		count->left += PAGE_SIZE;
		return false;
	}
	entry = flt_protnone_split(vma->vm_mm, address, pte, entry);
	while (!try_cmpxchg(&pte->pte, &entry.pte,
			    flt_protnone_make(entry.pte, FLT_PROTNONE_PTE_PFN)))
		;
	count->changed++;
	return true;
}

bool flt_wss_protect_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
{
	if (pmd_protnone(entry))
		return false;
	if (must_skip(page_folio(pmd_page(entry)), vma)) {
		count->left += PMD_SIZE;
		return false;
	}
	while (!try_cmpxchg(&pmd->pmd, &entry.pmd,
			    flt_protnone_make(entry.pmd, FLT_PROTNONE_PMD_PFN)))
		;
	count->changed++;
	return true;
}

/*
 * The TLB does not cache entries that are not present, so no CPU sets bits in the entry
 * meanwhile, and a plain store is enough. The mapping is up to date: mprotect() also rewrites
 * these entries, after which they are no longer PROT_NONE.
 */
void flt_wss_restore_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
{
	if (!pte_protnone(entry))
		return;
	WRITE_ONCE(pte->pte, flt_protnone_access(entry.pte, FLT_PROTNONE_PTE_PFN, vma));
	count->changed++;
}

void flt_wss_restore_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
{
	if (!pmd_protnone(entry))
		return;
	WRITE_ONCE(pmd->pmd, flt_protnone_access(entry.pmd, FLT_PROTNONE_PMD_PFN, vma));
	count->changed++;
}

#else

bool flt_wss_can_protect(void)
{
	return false;
}

bool flt_wss_can_protect_vma(const struct vm_area_struct *vma)
{
	return false;
}

bool flt_wss_protect_pte(unsigned long address, pte_t *pte, pte_t entry,
			 const struct vm_area_struct *vma, struct flt_wss_count *count)
{
	return false;
}

bool flt_wss_protect_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
{
	return false;
}

void flt_wss_restore_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
{
}

void flt_wss_restore_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
{
}

#endif
