/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss_protnone - make present pages fault at their next use, and undo that.
 *
 * An entry is changed to PROT_NONE, as NUMA balancing does to find out which node uses a
 * page; all other bits stay. The kernel's handler of such faults (do_numa_page()) makes
 * the entry present again. The handler does so whoever changed the entry, and whether or
 * not NUMA balancing is enabled. So a page that is present at the next scan was used.
 *
 * The caller holds the page table lock, and mmap_lock for reading. It has called
 * inc_tlb_flush_pending() before the first change, and flushes the TLB before
 * dec_tlb_flush_pending(), because migration and reclaim check for pending flushes to
 * find out whether a CPU may still write to a page.
 *
 * An entry is changed in one step and is never empty in between: MADV_DONTNEED also
 * holds mmap_lock for reading, checks entries without the page table lock, and would skip
 * an empty one (see change_huge_pmd()).
 */
#ifndef FLT_WSS_PROTNONE_H
#define FLT_WSS_PROTNONE_H

#include <linux/mm.h>
#include <linux/pgtable.h>
#include "wss/count.h"

/*
 * Without NUMA balancing the kernel does not handle the fault. With PAGE_TABLE_CHECK the
 * kernel expects all changes of entries to go through functions that record them.
 */
#if defined(CONFIG_NUMA_BALANCING) && !defined(CONFIG_PAGE_TABLE_CHECK)
#define FLT_WSS_CAN_PROTECT 1
#else
#define FLT_WSS_CAN_PROTECT 0
#endif

/* Return true if pages can be made PROT_NONE on this kernel and machine. */
bool flt_wss_can_protect(void);

/* Return true if the kernel alone handles the faults in @vma, so that its pages qualify. */
bool flt_wss_can_protect_vma(const struct vm_area_struct *vma);

/*
 * Make the present entry PROT_NONE. Return true if the page was used: its entry allowed
 * access. Return false if the entry was still PROT_NONE, or if the page must be left alone.
 */
bool flt_wss_protect_pte(unsigned long address, pte_t *pte, pte_t entry,
			 const struct vm_area_struct *vma, struct flt_wss_count *count);
bool flt_wss_protect_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count);
/* Allow access again if the entry is PROT_NONE. */
void flt_wss_restore_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count);
void flt_wss_restore_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			 struct flt_wss_count *count);

#endif
