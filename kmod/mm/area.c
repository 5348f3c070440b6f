// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include "mm/area.h"

enum flt_area flt_area_of(const struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_flags & VM_HUGETLB)
		return FLT_AREA_HUGETLB;
	if (vma->vm_file) {
		if (file_inode(vma->vm_file)->i_sb->s_magic == TMPFS_MAGIC)
			return FLT_AREA_SHMEM;
		return vma->vm_flags & (VM_PFNMAP | VM_IO | VM_MIXEDMAP) ? FLT_AREA_DEVICE :
									   FLT_AREA_FILE;
	}
	/* With operations, but without a file: a special mapping of the kernel. */
	if (vma->vm_ops)
		return FLT_AREA_VDSO;
	if (vma->vm_start <= mm->brk && vma->vm_end >= mm->start_brk)
		return FLT_AREA_HEAP;
	if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack)
		return FLT_AREA_STACK;
	return FLT_AREA_ANON;
}
