/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_PGTABLE_H
#define FLT_COMPAT_LINUX_PGTABLE_H

#include_next <linux/pgtable.h>
#include <flt_compat.h>

/* Before 7.3 the bit of userfaultfd was for write protection alone. */
#if !FLT_HAVE_PTE_UFFD
#define pte_uffd pte_uffd_wp
#endif

/*
 * Until 6.16 the pages of DAX files were not counted as RSS, and their entries had a bit of
 * their own. Later kernels manage these pages like others.
 */
#if FLT_HAVE_PTE_DEVMAP
#define flt_pmd_is_dax(vma, pmd) pmd_devmap(pmd)
#define flt_pte_is_dax(pte) pte_devmap(pte)
#else
#define flt_pmd_is_dax(vma, pmd) vma_is_dax(vma)
#define flt_pte_is_dax(pte) false
#ifdef CONFIG_X86
#define _PAGE_DEVMAP 0
#endif
#endif

#ifdef CONFIG_ARM64
/*
 * Until 6.10 a bit of its own says PROT_NONE, later the absence of access for the user says so
 * ("arm64/mm: Remove PTE_PROT_NONE bit").
 */
#ifdef PTE_PRESENT_INVALID
#define FLT_PROTNONE_BITS PTE_PRESENT_INVALID
#define FLT_PROTNONE_OFF 0	/* valid entries of users have PTE_NG, too */
#else
#define FLT_PROTNONE_BITS PTE_PROT_NONE
#define FLT_PROTNONE_OFF PTE_PROT_NONE
#endif
#ifndef PTE_PO_IDX_MASK
#define PTE_PO_IDX_MASK 0	/* protection keys, since 6.13 */
#endif
#endif

#endif
