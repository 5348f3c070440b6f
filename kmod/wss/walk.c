// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/page_idle.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include <linux/swap.h>
#include "wss/walk.h"
#include "wss/protnone.h"

/* Not exported by x86, and one instruction there. */
#ifdef CONFIG_X86
static bool take_pte_young(struct vm_area_struct *vma, unsigned long address, pte_t *pte)
{
	return test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)&pte->pte);
}

static __maybe_unused bool take_pmd_young(struct vm_area_struct *vma, unsigned long address,
					  pmd_t *pmd)
{
	return test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pmd);
}

/* Most entries: of a page, and not accessed. One comparison, where the three below take a dozen. */
static __always_inline bool pte_rests(pte_t entry)
{
	const pteval_t bits = _PAGE_PRESENT | _PAGE_SPECIAL | _PAGE_DEVMAP | _PAGE_ACCESSED;

	return (native_pte_val(entry) & bits) == _PAGE_PRESENT;
}
#else
#define take_pte_young ptep_test_and_clear_young
#define take_pmd_young pmdp_test_and_clear_young

static __always_inline bool pte_rests(pte_t entry)
{
	return false;
}
#endif

/* What reclaim would have read from the bit. */
static void hand_on(struct folio *folio)
{
#ifdef CONFIG_PAGE_IDLE_FLAG
	if (folio_test_idle(folio))
		folio_clear_idle(folio);
	if (!folio_test_young(folio))
		folio_set_young(folio);
#else
	folio_mark_accessed(folio);
#endif
}

static void note(struct folio *folio, int node, u64 bytes, const struct flt_wss_look *look)
{
	enum flt_wss_kind kind = FLT_WSS_KIND_FILE;
	struct flt_wss_count *count = look->count;

	if (folio_test_anon(folio))
		kind = FLT_WSS_KIND_ANON;
	else if (folio_test_swapbacked(folio))
		kind = FLT_WSS_KIND_SHMEM;
	count->kind[kind] += bytes;
	count->area[look->area] += bytes;
	count->node[min(node, FLT_WSS_NODES - 1)] += bytes;
}

static __maybe_unused bool pmd_was_used(struct vm_area_struct *vma, unsigned long address,
					pmd_t *pmd, pmd_t entry, struct folio *folio,
					const struct flt_wss_look *look)
{
	switch (look->way) {
	case FLT_WSS_ACCESSED:
		if (!pmd_young(entry) || !take_pmd_young(vma, address & HPAGE_PMD_MASK, pmd))
			return false;
		hand_on(folio);
		return true;
	case FLT_WSS_WITHHOLD:
		return flt_wss_withhold_pmd(pmd, entry, vma, look->count);
	case FLT_WSS_LEAVE:
		look->count->left += HPAGE_PMD_SIZE;
		return false;
	case FLT_WSS_GIVE_BACK:
		flt_wss_give_back_pmd(pmd, entry, vma, look->count);
		return false;
	}
	return false;
}

static void walk_huge(struct vm_area_struct *vma, unsigned long address, pmd_t *pmd,
		      const struct flt_wss_look *look)
{
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	struct flt_wss_count *count = look->count;
	spinlock_t *ptl = pmd_lock(vma->vm_mm, pmd);
	pmd_t entry = READ_ONCE(*pmd);
	struct folio *folio;

	if (!pmd_present(entry) || !pmd_trans_huge(entry))
		goto out;
	folio = page_folio(pmd_page(entry));
	/* The huge zero page, which is nobody's. */
	if (!folio->mapping) {
		count->special++;
		goto out;
	}
	count->rss += HPAGE_PMD_SIZE;
	count->huge += HPAGE_PMD_SIZE;
	count->pages++;
	if (pmd_was_used(vma, address, pmd, entry, folio, look))
		note(folio, folio_nid(folio), HPAGE_PMD_SIZE, look);
out:
	spin_unlock(ptl);
#endif
}

static __always_inline bool pte_was_used(struct vm_area_struct *vma, unsigned long address,
					 pte_t *pte, pte_t entry, enum flt_wss_way way,
					 const struct flt_wss_look *look)
{
	switch (way) {
	case FLT_WSS_ACCESSED:
		if (!pte_young(entry) || !take_pte_young(vma, address, pte))
			return false;
		hand_on(page_folio(pfn_to_page(pte_pfn(entry))));
		return true;
	case FLT_WSS_WITHHOLD:
		return flt_wss_withhold_pte(pte, entry, vma, look->count);
	case FLT_WSS_LEAVE:
		look->count->left += PAGE_SIZE;
		return false;
	case FLT_WSS_GIVE_BACK:
		flt_wss_give_back_pte(pte, entry, vma, look->count);
		return false;
	}
	return false;
}

/* Returns how many of them have a page. */
static __always_inline u64 walk_entries(struct vm_area_struct *vma, unsigned long address,
					unsigned long end, pte_t *pte, enum flt_wss_way way,
					const struct flt_wss_look *look)
{
	u64 pages = 0;

	for (; address != end; address += PAGE_SIZE, pte++) {
		pte_t entry = READ_ONCE(*pte);
		struct page *page;

		if (way == FLT_WSS_ACCESSED && likely(pte_rests(entry))) {
			pages++;
			continue;
		}
		if (!pte_present(entry))
			continue;
		if (unlikely(pte_special(entry) || pte_devmap(entry))) {
			look->count->special++;
			continue;
		}
		pages++;
		if (!pte_was_used(vma, address, pte, entry, way, look))
			continue;
		page = pfn_to_page(pte_pfn(entry));
		note(page_folio(page), page_to_nid(page), PAGE_SIZE, look);
	}
	return pages;
}

/*
 * Tables may go while we look: those of files and shmem are freed, an RCU grace
 * period later, by whoever makes a huge page of them without mmap_lock. So first the
 * lock that is in the table, then once more the entry that led to it.
 */
static void walk_table(struct vm_area_struct *vma, unsigned long address, unsigned long end,
		       pmd_t *pmd, const struct flt_wss_look *look)
{
	struct flt_wss_count *count = look->count;
	struct mm_struct *mm = vma->vm_mm;
	u64 pages;
	spinlock_t *ptl;	/* of the page table */
	pmd_t table;
	pte_t *pte;

	rcu_read_lock();
again:
	table = READ_ONCE(*pmd);
	if (!pmd_present(table) || pmd_leaf(table) || pmd_bad(table))
		goto out;
	ptl = pte_lockptr(mm, &table);
	spin_lock(ptl);
	if (!pmd_same(table, READ_ONCE(*pmd))) {
		spin_unlock(ptl);
		goto again;
	}
	pte = pte_offset_kernel(&table, address);
	/* By far the most entries are looked at for their bit, and have it clear. */
	if (look->way == FLT_WSS_ACCESSED)
		pages = walk_entries(vma, address, end, pte, FLT_WSS_ACCESSED, look);
	else
		pages = walk_entries(vma, address, end, pte, look->way, look);
	spin_unlock(ptl);
	count->pages += pages;
	count->rss += pages << PAGE_SHIFT;
out:
	rcu_read_unlock();
}

unsigned long flt_wss_walk(struct vm_area_struct *vma, unsigned long address,
			   const struct flt_wss_look *look)
{
	unsigned long end = vma->vm_end, next;
	pgd_t *pgd = pgd_offset(vma->vm_mm, address);
	pmd_t *pmd, entry;
	p4d_t *p4d;
	pud_t *pud;

	if (pgd_none(READ_ONCE(*pgd)))
		return pgd_addr_end(address, end);
	p4d = p4d_offset(pgd, address);
	if (p4d_none(READ_ONCE(*p4d)))
		return p4d_addr_end(address, end);
	pud = pud_offset(p4d, address);
	if (pud_none(READ_ONCE(*pud)) || !pud_present(*pud) || pud_leaf(*pud))
		return pud_addr_end(address, end);
	pmd = pmd_offset(pud, address);
	next = pmd_addr_end(address, end);
	entry = READ_ONCE(*pmd);
	if (!pmd_present(entry))
		return next;
	if (pmd_leaf(entry))
		walk_huge(vma, address, pmd, look);
	else
		walk_table(vma, address, next, pmd, look);
	return next;
}
