// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/page_idle.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include <linux/swap.h>
#include "arch/young.h"
#include "wss/walk.h"
#include "wss/protnone.h"

/* Report the access to reclaim, which finds the accessed bit cleared. */
static void report_access(struct folio *folio)
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

static void count_used(struct folio *folio, int node, u64 bytes, const struct flt_wss_walk *walk)
{
	enum flt_wss_kind kind = FLT_WSS_KIND_FILE;
	struct flt_wss_count *count = walk->count;

	if (folio_test_anon(folio))
		kind = FLT_WSS_KIND_ANON;
	else if (folio_test_swapbacked(folio))
		kind = FLT_WSS_KIND_SHMEM;
	count->kind[kind] += bytes;
	count->area[walk->area] += bytes;
	count->node[min(node, FLT_WSS_NODES - 1)] += bytes;
}

static __maybe_unused bool pmd_was_used(struct vm_area_struct *vma, unsigned long address,
					pmd_t *pmd, pmd_t entry, struct folio *folio,
					const struct flt_wss_walk *walk)
{
	switch (walk->mode) {
	case FLT_WSS_CLEAR_ACCESSED:
		if (!pmd_young(entry) || !flt_young_clear_pmd(vma, address & PMD_MASK, pmd))
			return false;
		report_access(folio);
		return true;
	case FLT_WSS_PROTECT:
		return flt_wss_protect_pmd(pmd, entry, vma, walk->count);
	case FLT_WSS_SKIP:
		walk->count->left += PMD_SIZE;
		return false;
	case FLT_WSS_RESTORE:
		flt_wss_restore_pmd(pmd, entry, vma, walk->count);
		return false;
	}
	return false;
}

static void walk_huge(struct vm_area_struct *vma, unsigned long address, pmd_t *pmd,
		      const struct flt_wss_walk *walk)
{
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	struct flt_wss_count *count = walk->count;
	spinlock_t *ptl = pmd_lock(vma->vm_mm, pmd);
	pmd_t entry = READ_ONCE(*pmd);
	struct folio *folio;

	if (!pmd_present(entry) || !pmd_trans_huge(entry))
		goto out;
	folio = page_folio(pmd_page(entry));
	/* The huge zero page does not belong to the process. */
	if (!folio->mapping) {
		count->special++;
		goto out;
	}
	count->rss += PMD_SIZE;
	count->huge += PMD_SIZE;
	count->pages++;
	if (pmd_was_used(vma, address, pmd, entry, folio, walk))
		count_used(folio, folio_nid(folio), PMD_SIZE, walk);
out:
	spin_unlock(ptl);
#endif
}

static __always_inline bool pte_was_used(struct vm_area_struct *vma, unsigned long address,
					 pte_t *pte, pte_t entry, enum flt_wss_mode mode,
					 const struct flt_wss_walk *walk)
{
	switch (mode) {
	case FLT_WSS_CLEAR_ACCESSED:
		if (!flt_young_clear_pte(vma, address, pte, entry))
			return false;
		report_access(page_folio(pfn_to_page(pte_pfn(entry))));
		return true;
	case FLT_WSS_PROTECT:
		return flt_wss_protect_pte(address, pte, entry, vma, walk->count);
	case FLT_WSS_SKIP:
		walk->count->left += PAGE_SIZE;
		return false;
	case FLT_WSS_RESTORE:
		flt_wss_restore_pte(pte, entry, vma, walk->count);
		return false;
	}
	return false;
}

/* Return the number of entries that map a page. */
static __always_inline u64 walk_entries(struct vm_area_struct *vma, unsigned long address,
					unsigned long end, pte_t *pte, enum flt_wss_mode mode,
					const struct flt_wss_walk *walk)
{
	unsigned long n;	/* entries that share an accessed bit */
	u64 pages = 0;

	for (; address != end; address += n * PAGE_SIZE, pte += n) {
		pte_t entry = READ_ONCE(*pte);
		struct page *page;

		n = 1;
		if (mode == FLT_WSS_CLEAR_ACCESSED && likely(flt_young_is_idle(entry))) {
			pages++;
			continue;
		}
		if (!pte_present(entry))
			continue;
		if (unlikely(pte_special(entry) || flt_pte_is_dax(entry))) {
			walk->count->special++;
			continue;
		}
		if (mode == FLT_WSS_CLEAR_ACCESSED)
			n = flt_young_shared(pte, entry, (end - address) >> PAGE_SHIFT);
		pages += n;
		if (!pte_was_used(vma, address, pte, entry, mode, walk))
			continue;
		page = pfn_to_page(pte_pfn(entry));
		count_used(page_folio(page), page_to_nid(page), n * PAGE_SIZE, walk);
	}
	return pages;
}

/*
 * khugepaged may free page tables of file and shmem mappings without mmap_lock, after an
 * RCU grace period. So take the lock of the table, and then check that the PMD still
 * points to the table.
 */
static void walk_table(struct vm_area_struct *vma, unsigned long address, unsigned long end,
		       pmd_t *pmd, const struct flt_wss_walk *walk)
{
	struct flt_wss_count *count = walk->count;
	struct mm_struct *mm = vma->vm_mm;
	u64 pages;
	spinlock_t *ptl;	/* lock of the page table */
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
	/* A constant mode lets the compiler make a fast loop for the common case. */
	if (walk->mode == FLT_WSS_CLEAR_ACCESSED)
		pages = walk_entries(vma, address, end, pte, FLT_WSS_CLEAR_ACCESSED, walk);
	else
		pages = walk_entries(vma, address, end, pte, walk->mode, walk);
	spin_unlock(ptl);
	count->pages += pages;
	count->rss += pages << PAGE_SHIFT;
out:
	rcu_read_unlock();
}

unsigned long flt_wss_walk(struct vm_area_struct *vma, unsigned long address,
			   const struct flt_wss_walk *walk)
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
		walk_huge(vma, address, pmd, walk);
	else
		walk_table(vma, address, next, pmd, walk);
	return next;
}
