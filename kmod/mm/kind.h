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
#include "mm/walk.h"

/* In the value of flt_kind_look(): the outcome may show another kind. */
#define FLT_KIND_UNSETTLED 0x80

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

u8 flt_kind_huge(struct vm_area_struct *vma, pmd_t pmd, unsigned int flags);
u8 flt_kind_present(struct vm_area_struct *vma, pte_t pte, unsigned int flags,
		    unsigned long *pfn);
/* No page table at all: only the outcome tells whether the hole became a huge page. */
u8 flt_kind_hole(const struct vm_area_struct *vma, unsigned int flags, unsigned long *pfn);

/* Of what flt_walk() found, not in hugetlb; the value is that of flt_kind_look(). */
static __always_inline u8 flt_kind_of(enum flt_walk_end end, union flt_walk_entry entry,
				      struct vm_area_struct *vma, unsigned int flags,
				      unsigned long *pfn)
{
	switch (end) {
	case FLT_WALK_PTE:
		if (unlikely(!pte_none(entry.pte)))
			return flt_kind_present(vma, entry.pte, flags, pfn);
		return flt_kind_missing(vma, flags);
	case FLT_WALK_PMD:
		return flt_kind_huge(vma, entry.pmd, flags);
	case FLT_WALK_PUD:
		return FLT_KIND_DEVICE;
	default:
		return flt_kind_hole(vma, flags, pfn);
	}
}

/*
 * The kind, or'ed with FLT_KIND_UNSETTLED if flt_kind_settle() should be asked
 * once the fault has ended; then, and only then, *@pfn is set for it.
 */
static __always_inline u8 flt_kind_look(struct vm_area_struct *vma, struct mm_struct *mm,
					unsigned long address, unsigned int flags,
					unsigned long *pfn)
{
	union flt_walk_entry entry;
	enum flt_walk_end end;

	if (unlikely(vma->vm_flags & VM_HUGETLB))
		return FLT_KIND_HUGETLB;
	end = flt_walk(mm, address, &entry);
	return flt_kind_of(end, entry, vma, flags, pfn);
}

/* The fault ended, and its caller's lock is still held: was it as it looked? */
u8 flt_kind_settle(u8 kind, unsigned long pfn, struct mm_struct *mm, unsigned long address);

#endif
