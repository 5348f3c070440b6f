/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kind - what a fault is for, from a look at VMA, access and page table.
 *
 * The look is lockless. It is made while the caller of handle_mm_fault() holds
 * mmap_lock or the VMA's lock, and with preemption off: munmap and the collapse
 * of anonymous tables wait for the lock, tables of files are freed after an RCU
 * grace period. Entries may change under us all the same: each is read once.
 */
#ifndef FLT_KIND_H
#define FLT_KIND_H

#include <linux/flt_event.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/userfaultfd_k.h>

/* What the look leaves for a second one when the fault has ended. */
struct flt_kind_trace {
	u8 kind;
	bool settle;		/* flt_kind_settle() may know better */
	unsigned long pfn;	/* FLT_KIND_COW: of the page written to; else 0 */
};

/* Nothing is mapped at the address. The order is the kernel's (do_pte_missing()). */
static __always_inline u8 flt_kind_missing(const struct vm_area_struct *vma, unsigned int flags)
{
	unsigned long vm_flags = vma->vm_flags;

	if (unlikely(vm_flags & (VM_UFFD_MISSING | VM_UFFD_MINOR)))
		return FLT_KIND_UFFD;
	if (!vma->vm_ops)
		return FLT_KIND_ANON;
	if (unlikely(vm_flags & VM_PFNMAP))
		return FLT_KIND_DEVICE;
	if (!(flags & FAULT_FLAG_WRITE))
		return FLT_KIND_FILE;
	return vm_flags & VM_SHARED ? FLT_KIND_SHARED : FLT_KIND_COW;
}

static inline bool flt_kind_writes(unsigned int flags)
{
	return flags & (FAULT_FLAG_WRITE | FAULT_FLAG_UNSHARE);
}

void flt_kind_huge(struct flt_kind_trace *k, struct vm_area_struct *vma, pmd_t pmd,
		   unsigned int flags);
void flt_kind_entry(struct flt_kind_trace *k, struct vm_area_struct *vma, pte_t pte,
		    unsigned int flags);
/* The fault ended, and the caller's lock is still held: was it as it looked? */
void flt_kind_settle(struct flt_kind_trace *k, struct mm_struct *mm, unsigned long address);

static __always_inline void flt_kind_look(struct flt_kind_trace *k, struct vm_area_struct *vma,
					  unsigned long address, unsigned int flags)
{
	pgd_t *pgd;
	p4d_t *p4d;
	pud_t *pud, pud_val;
	pmd_t *pmd, pmd_val;
	pte_t pte;

	k->settle = false;
	k->pfn = 0;
	if (unlikely(vma->vm_flags & VM_HUGETLB)) {
		k->kind = FLT_KIND_HUGETLB;
		return;
	}
	pgd = pgd_offset(vma->vm_mm, address);
	if (unlikely(pgd_none(READ_ONCE(*pgd))))
		goto no_table;
	p4d = p4d_offset(pgd, address);
	if (unlikely(p4d_none(READ_ONCE(*p4d))))
		goto no_table;
	pud = pud_offset(p4d, address);
	pud_val = READ_ONCE(*pud);
	if (unlikely(pud_none(pud_val)))
		goto no_table;
	if (unlikely(pud_leaf(pud_val) || !pud_present(pud_val))) {
		k->kind = FLT_KIND_DEVICE;
		return;
	}
	pmd = pmd_offset(pud, address);
	pmd_val = READ_ONCE(*pmd);
	if (unlikely(pmd_none(pmd_val)))
		goto no_table;
	if (unlikely(pmd_leaf(pmd_val) || !pmd_present(pmd_val))) {
		flt_kind_huge(k, vma, pmd_val, flags);
		return;
	}
	pte = READ_ONCE(*pte_offset_kernel(pmd, address));
	if (unlikely(!pte_none(pte))) {
		flt_kind_entry(k, vma, pte, flags);
		return;
	}
	k->kind = flt_kind_missing(vma, flags);
	return;
no_table:
	/* Room for a huge page: only the outcome tells whether it became one. */
	k->kind = flt_kind_missing(vma, flags);
	k->settle = k->kind != FLT_KIND_UFFD;
}

#endif
