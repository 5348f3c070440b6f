/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walk - find the page table entry of an address.
 *
 * No lock is taken; kind.h explains why that is safe. The generic version takes 95
 * instructions, because each level goes through paravirt calls and is tested for all
 * values that a level can have. The version for x86-64 reads the entries directly and takes
 * 35. Xen PV guests, whose page tables hold machine frame numbers, and arm64 use the generic
 * version.
 */
#ifndef FLT_WALK_H
#define FLT_WALK_H

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pgtable.h>

enum flt_walk_end {
	FLT_WALK_NONE,		/* no page table: an upper entry is empty */
	FLT_WALK_PUD,		/* a PUD that does not point to a table */
	FLT_WALK_PMD,		/* a PMD that does not point to a page table */
	FLT_WALK_PTE,		/* a PTE, which may be empty */
	FLT_WALK_UNSUPPORTED,	/* flt_walk_quick() only: use flt_walk_generic() */
};

/* The valid member is pmd after FLT_WALK_PMD, and pte after FLT_WALK_PTE. */
union flt_walk_entry {
	pmd_t pmd;
	pte_t pte;
};

/* Another thread may clear an upper entry at any time, so each level starts from a copy. */
static __always_inline enum flt_walk_end flt_walk_generic(struct mm_struct *mm,
							  unsigned long address,
							  union flt_walk_entry *entry)
{
	pgd_t *pgdp = pgd_offset(mm, address), pgd = READ_ONCE(*pgdp);
	p4d_t *p4dp, p4d;
	pud_t *pudp, pud;

	if (pgd_none(pgd))
		return FLT_WALK_NONE;
	p4dp = p4d_offset_lockless(pgdp, pgd, address);
	p4d = READ_ONCE(*p4dp);
	if (p4d_none(p4d))
		return FLT_WALK_NONE;
	pudp = pud_offset_lockless(p4dp, p4d, address);
	pud = READ_ONCE(*pudp);
	if (pud_none(pud))
		return FLT_WALK_NONE;
	if (pud_leaf(pud) || !pud_present(pud))
		return FLT_WALK_PUD;
	entry->pmd = READ_ONCE(*pmd_offset_lockless(pudp, pud, address));
	if (pmd_none(entry->pmd))
		return FLT_WALK_NONE;
	if (pmd_leaf(entry->pmd) || !pmd_present(entry->pmd))
		return FLT_WALK_PMD;
	entry->pte = READ_ONCE(*pte_offset_kernel(&entry->pmd, address));
	return FLT_WALK_PTE;
}

#ifdef CONFIG_X86_64
#define FLT_WALK_TABLE (_PAGE_PRESENT | _PAGE_PSE)

/* Read an entry of the top level. pgd_index() would test the number of levels at run time. */
static __always_inline unsigned long flt_walk_top(const struct mm_struct *mm, unsigned long address,
						  unsigned int shift)
{
	return READ_ONCE(((unsigned long *)mm->pgd)[address >> shift & (PTRS_PER_PTE - 1)]);
}

/* @mask: PTE_PFN_MASK, which is a variable of the kernel. */
static __always_inline unsigned long flt_walk_step(unsigned long table, unsigned long mask,
						   unsigned long address, unsigned int shift)
{
	const unsigned long *entries = __va(table & mask);

	return READ_ONCE(entries[address >> shift & (PTRS_PER_PTE - 1)]);
}

/* Makes no calls, so that the fast path of a fault saves no registers. */
static __always_inline enum flt_walk_end flt_walk_quick(struct mm_struct *mm,
							unsigned long address,
							union flt_walk_entry *entry)
{
	const unsigned long mask = PTE_PFN_MASK;
	unsigned long e;

	if (cpu_feature_enabled(X86_FEATURE_XENPV))
		return FLT_WALK_UNSUPPORTED;
	if (cpu_feature_enabled(X86_FEATURE_LA57)) {
		e = flt_walk_top(mm, address, P4D_SHIFT + ilog2(PTRS_PER_PTE));
		if (unlikely(!(e & _PAGE_PRESENT)))
			return FLT_WALK_NONE;
		e = flt_walk_step(e, mask, address, P4D_SHIFT);
	} else {
		e = flt_walk_top(mm, address, P4D_SHIFT);
	}
	if (unlikely(!(e & _PAGE_PRESENT)))
		return FLT_WALK_NONE;
	e = flt_walk_step(e, mask, address, PUD_SHIFT);
	if (unlikely((e & FLT_WALK_TABLE) != _PAGE_PRESENT))
		return e & ~_PAGE_KNL_ERRATUM_MASK ? FLT_WALK_PUD : FLT_WALK_NONE;
	e = flt_walk_step(e, mask, address, PMD_SHIFT);
	if (unlikely((e & FLT_WALK_TABLE) != _PAGE_PRESENT)) {
		entry->pmd = __pmd(e);
		return e & ~_PAGE_KNL_ERRATUM_MASK ? FLT_WALK_PMD : FLT_WALK_NONE;
	}
	entry->pte = native_make_pte(flt_walk_step(e, mask, address, PAGE_SHIFT));
	return FLT_WALK_PTE;
}
#else
/* On arm64 no level takes a call. */
static __always_inline enum flt_walk_end flt_walk_quick(struct mm_struct *mm,
							unsigned long address,
							union flt_walk_entry *entry)
{
	return flt_walk_generic(mm, address, entry);
}
#endif

static __always_inline enum flt_walk_end flt_walk(struct mm_struct *mm, unsigned long address,
						  union flt_walk_entry *entry)
{
	enum flt_walk_end end = flt_walk_quick(mm, address, entry);

	return end == FLT_WALK_UNSUPPORTED ? flt_walk_generic(mm, address, entry) : end;
}

#endif
