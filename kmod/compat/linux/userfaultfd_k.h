/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_USERFAULTFD_K_H
#define FLT_COMPAT_LINUX_USERFAULTFD_K_H

/* Without USERFAULTFD, the header of 7.3 does not include what it uses. */
#include <linux/mm.h>
#include_next <linux/userfaultfd_k.h>
#include <flt_compat.h>

/* Before 7.3 userfaultfd did not handle reads of present pages. */
#if !FLT_HAVE_UFFD_RWP
#define userfaultfd_pte_rwp(vma, pte) false
#define userfaultfd_huge_pmd_rwp(vma, pmd) false
#endif

#endif
