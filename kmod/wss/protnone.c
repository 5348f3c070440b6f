// SPDX-License-Identifier: GPL-2.0-only
#include <asm/cpufeature.h>
#include <linux/userfaultfd_k.h>
#include "wss/protnone.h"

#if FLT_WSS_CAN_WITHHOLD

/* Entries of a Xen PV guest hold other frame numbers while they are present. */
bool flt_wss_can_withhold(void)
{
	return !boot_cpu_has(X86_FEATURE_XENPV);
}

/*
 * Device memory and shadow stacks have entries of their own kind; userfaultfd's faults
 * are another process's to handle. Nothing in a mapping that may not be accessed at
 * all is ours: there the same entry is a fault that kills.
 */
bool flt_wss_withholds(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & (VM_MIXEDMAP | VM_SHADOW_STACK)) &&
	       vma_is_accessible((struct vm_area_struct *)vma) &&
	       !userfaultfd_armed((struct vm_area_struct *)vma);
}

/* As NUMA balancing: what is shared for copy-on-write, or pinned, and KSM's, are left alone. */
static bool to_be_left(struct folio *folio, const struct vm_area_struct *vma)
{
	return folio_test_ksm(folio) ||
	       (is_cow_mapping(vma->vm_flags) &&
		(folio_maybe_dma_pinned(folio) || folio_likely_mapped_shared(folio)));
}

/*
 * The write permission stays in the entry. Until 6.2 the kernel keeps it there itself,
 * later it finds out anew; and giving back has to know.
 */
static u64 withheld(u64 old, u64 pfn_mask)
{
	return flip_protnone_guard(old, (old & ~(_PAGE_PRESENT | _PAGE_USER)) | _PAGE_PROTNONE,
				   pfn_mask);
}

/* The lock keeps all away but the CPU, which sets accessed and dirty on its own. */
bool flt_wss_withhold_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			  struct flt_wss_count *count)
{
	if (pte_protnone(entry))
		return false;
	if (to_be_left(page_folio(pfn_to_page(pte_pfn(entry))), vma)) {
		count->left += PAGE_SIZE;
		return false;
	}
	while (!try_cmpxchg(&pte->pte, &entry.pte, withheld(entry.pte, PTE_PFN_MASK)))
		;
	count->changed++;
	return true;
}

bool flt_wss_withhold_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			  struct flt_wss_count *count)
{
	if (pmd_protnone(entry))
		return false;
	if (to_be_left(page_folio(pmd_page(entry)), vma)) {
		count->left += HPAGE_PMD_SIZE;
		return false;
	}
	while (!try_cmpxchg(&pmd->pmd, &entry.pmd, withheld(entry.pmd, PHYSICAL_PMD_PAGE_MASK)))
		;
	count->changed++;
	return true;
}

/*
 * What NUMA balancing itself withheld has lost all protection, that against execution
 * too; so that comes from the mapping. mprotect() changes withheld entries as well, and
 * then they are not any more. pte_modify() would do, but on 6.1 not in a module.
 */
static u64 whole(u64 old, u64 pfn_mask, const struct vm_area_struct *vma)
{
	const u64 taken = _PAGE_PRESENT | _PAGE_USER | _PAGE_NX | _PAGE_PKEY_MASK;
	const u64 mapping = pgprot_val(vma->vm_page_prot) & __supported_pte_mask & taken;

	return flip_protnone_guard(old, (old & ~(taken | _PAGE_PROTNONE)) | mapping, pfn_mask);
}

/* Nothing is cached of an entry that was not present, so no CPU changes it meanwhile. */
void flt_wss_give_back_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			   struct flt_wss_count *count)
{
	if (!pte_protnone(entry))
		return;
	WRITE_ONCE(pte->pte, whole(entry.pte, PTE_PFN_MASK, vma));
	count->changed++;
}

void flt_wss_give_back_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			   struct flt_wss_count *count)
{
	if (!pmd_protnone(entry))
		return;
	WRITE_ONCE(pmd->pmd, whole(entry.pmd, PHYSICAL_PMD_PAGE_MASK, vma));
	count->changed++;
}

#else

bool flt_wss_can_withhold(void)
{
	return false;
}

bool flt_wss_withholds(const struct vm_area_struct *vma)
{
	return false;
}

bool flt_wss_withhold_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			  struct flt_wss_count *count)
{
	return false;
}

bool flt_wss_withhold_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			  struct flt_wss_count *count)
{
	return false;
}

void flt_wss_give_back_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			   struct flt_wss_count *count)
{
}

void flt_wss_give_back_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			   struct flt_wss_count *count)
{
}

#endif
