// SPDX-License-Identifier: GPL-2.0-only
#include <asm/cpufeature.h>
#include <linux/userfaultfd_k.h>
#include "wss/protnone.h"

#if FLT_WSS_CAN_PROTECT

/* Present entries of a Xen PV guest hold machine frame numbers, others hold guest frames. */
bool flt_wss_can_protect(void)
{
	return !boot_cpu_has(X86_FEATURE_XENPV);
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

/*
 * Return the PROT_NONE value of an entry. Keep the write permission in it, because
 * restore needs it. Before 6.2 the kernel also keeps it (savedwrite); later kernels find out
 * again ("mm/autonuma: use can_change_(pte|pmd)_writable() to replace savedwrite").
 */
static u64 make_protnone(u64 old, u64 pfn_mask)
{
	return flip_protnone_guard(old, (old & ~(_PAGE_PRESENT | _PAGE_USER)) | _PAGE_PROTNONE,
				   pfn_mask);
}

/* Under the page table lock only the CPU changes the entry: it sets accessed and dirty bits. */
bool flt_wss_protect_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
{
	if (pte_protnone(entry))
		return false;
	if (must_skip(page_folio(pfn_to_page(pte_pfn(entry))), vma)) {
		count->left += PAGE_SIZE;
		return false;
	}
	while (!try_cmpxchg(&pte->pte, &entry.pte, make_protnone(entry.pte, PTE_PFN_MASK)))
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
			    make_protnone(entry.pmd, PHYSICAL_PMD_PAGE_MASK)))
		;
	count->changed++;
	return true;
}

/*
 * Return the value of an entry that allows access again. NX and the protection key come
 * from the mapping, because entries that NUMA balancing itself made PROT_NONE have lost
 * them. The mapping is up to date: mprotect() also rewrites these entries, after which they
 * are no longer PROT_NONE. pte_modify() does the same, but modules cannot use it on 6.1.
 */
static u64 make_accessible(u64 old, u64 pfn_mask, const struct vm_area_struct *vma)
{
	const u64 taken = _PAGE_PRESENT | _PAGE_USER | _PAGE_NX | _PAGE_PKEY_MASK;
	const u64 mapping = pgprot_val(vma->vm_page_prot) & __supported_pte_mask & taken;

	return flip_protnone_guard(old, (old & ~(taken | _PAGE_PROTNONE)) | mapping, pfn_mask);
}

/*
 * The TLB does not cache entries that are not present, so no CPU sets bits in the entry
 * meanwhile, and a plain store is enough.
 */
void flt_wss_restore_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
{
	if (!pte_protnone(entry))
		return;
	WRITE_ONCE(pte->pte, make_accessible(entry.pte, PTE_PFN_MASK, vma));
	count->changed++;
}

void flt_wss_restore_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
{
	if (!pmd_protnone(entry))
		return;
	WRITE_ONCE(pmd->pmd, make_accessible(entry.pmd, PHYSICAL_PMD_PAGE_MASK, vma));
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

bool flt_wss_protect_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count)
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
