/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kind - find out what a fault is for, from the VMA, the access and the page table.
 *
 * The page table is read without its locks. That is safe because the caller of
 * handle_mm_fault() holds mmap_lock or the VMA lock, and preemption is off: munmap() and
 * the collapse of anonymous page tables wait for the lock, and page tables of files are
 * freed after an RCU grace period. Entries may change meanwhile, so each is read once.
 */
#ifndef FLT_KIND_H
#define FLT_KIND_H

#include <linux/flt_event.h>
#include <linux/mm.h>
#include "mm/walk.h"

/* Flag in the value of flt_kind_find(): call flt_kind_confirm() when the fault has ended. */
#define FLT_KIND_PROVISIONAL 0x80

/* Return the kind if nothing is mapped. Same order of tests as do_pte_missing(). */
static __always_inline u8 flt_kind_missing(const struct vm_area_struct *vma, unsigned int flags)
{
	unsigned long vm_flags = vma->vm_flags;

	if (unlikely(vm_flags & (VM_UFFD_MISSING | VM_UFFD_MINOR)))
		return FLT_KIND_UFFD;
	if (!vma->vm_ops)
		return FLT_KIND_ANON;
	/*
	 * Processes map the data page of the vDSO, too. It has only VM_IO since 6.15, and later
	 * only VM_MIXEDMAP, as files of some file systems have.
	 */
	if (unlikely(vm_flags & (VM_PFNMAP | VM_IO) || (vm_flags & VM_MIXEDMAP && !vma->vm_file)))
		return FLT_KIND_DEVICE;
	if (!(flags & FAULT_FLAG_WRITE))
		return FLT_KIND_FILE;
	return vm_flags & VM_SHARED ? FLT_KIND_SHARED : FLT_KIND_COW;
}

u8 flt_kind_huge(struct vm_area_struct *vma, pmd_t pmd, unsigned int flags);
u8 flt_kind_present(struct vm_area_struct *vma, pte_t pte, unsigned int flags,
		    unsigned long *pfn);
/* Return the kind if there is no page table: the kernel may map a huge page or a small one. */
u8 flt_kind_hole(const struct vm_area_struct *vma, unsigned int flags, unsigned long *pfn);

/* Return the kind for the result of flt_walk(). @vma is not hugetlb. See flt_kind_find(). */
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
 * Return the kind of a fault. The value has the flag FLT_KIND_PROVISIONAL, and *@pfn is
 * set, if the kind depends on what the kernel will do.
 */
static __always_inline u8 flt_kind_find(struct vm_area_struct *vma, struct mm_struct *mm,
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

/*
 * Return the final kind of a fault with a provisional one. Call when the fault has ended
 * and the lock of its caller is still held.
 */
u8 flt_kind_confirm(u8 kind, unsigned long pfn, struct mm_struct *mm, unsigned long address);

#endif
