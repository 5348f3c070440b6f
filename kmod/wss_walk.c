// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/page_idle.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include <linux/swap.h>
#include "wss_walk.h"

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
#else
#define take_pte_young ptep_test_and_clear_young
#define take_pmd_young pmdp_test_and_clear_young
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

static void note(struct folio *folio, int node, u64 bytes, enum flt_area area,
		 struct flt_wss_count *count)
{
	enum flt_wss_kind kind = FLT_WSS_KIND_FILE;

	if (folio_test_anon(folio))
		kind = FLT_WSS_KIND_ANON;
	else if (folio_test_swapbacked(folio))
		kind = FLT_WSS_KIND_SHMEM;
	count->kind[kind] += bytes;
	count->area[area] += bytes;
	count->node[min(node, FLT_WSS_NODES - 1)] += bytes;
	hand_on(folio);
}

static void walk_huge(struct vm_area_struct *vma, unsigned long address, pmd_t *pmd,
		      enum flt_area area, struct flt_wss_count *count)
{
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
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
	if (pmd_young(entry) && take_pmd_young(vma, address & HPAGE_PMD_MASK, pmd))
		note(folio, folio_nid(folio), HPAGE_PMD_SIZE, area, count);
out:
	spin_unlock(ptl);
#endif
}

/*
 * Tables may go while we look: those of files and shmem are freed, an RCU grace
 * period later, by whoever makes a huge page of them without mmap_lock. So first the
 * lock that is in the table, then once more the entry that led to it.
 */
static void walk_table(struct vm_area_struct *vma, unsigned long address, unsigned long end,
		       pmd_t *pmd, enum flt_area area, struct flt_wss_count *count)
{
	struct mm_struct *mm = vma->vm_mm;
	u64 pages = 0;
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
	for (; address != end; address += PAGE_SIZE, pte++) {
		pte_t entry = READ_ONCE(*pte);
		struct page *page;

		if (!pte_present(entry))
			continue;
		if (unlikely(pte_special(entry) || pte_devmap(entry))) {
			count->special++;
			continue;
		}
		pages++;
		if (!pte_young(entry) || !take_pte_young(vma, address, pte))
			continue;
		page = pfn_to_page(pte_pfn(entry));
		note(page_folio(page), page_to_nid(page), PAGE_SIZE, area, count);
	}
	spin_unlock(ptl);
	count->pages += pages;
	count->rss += pages << PAGE_SHIFT;
out:
	rcu_read_unlock();
}

unsigned long flt_wss_walk(struct vm_area_struct *vma, unsigned long address, enum flt_area area,
			   struct flt_wss_count *count)
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
		walk_huge(vma, address, pmd, area, count);
	else
		walk_table(vma, address, next, pmd, area, count);
	return next;
}
