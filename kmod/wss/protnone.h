/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss_protnone - present pages made to fault when they are next used, and given back.
 *
 * An entry is turned into what NUMA balancing makes of it to learn who uses a page:
 * without access, all else kept. The kernel's own handler of such faults makes it
 * whole again, whoever made it so and whether or not balancing is on. So what is
 * present again at the next look was used in between.
 *
 * Whoever calls holds the lock of the page table and mmap_lock for reading, has said
 * so beforehand by inc_tlb_flush_pending(), and flushes the translations before
 * dec_tlb_flush_pending(): migration and reclaim of a page that a CPU can still write
 * to ask for that. An entry is changed in one step, never empty in between, since
 * madvise() looks at it under the same locks as we.
 */
#ifndef FLT_WSS_PROTNONE_H
#define FLT_WSS_PROTNONE_H

#include <linux/mm.h>
#include <linux/pgtable.h>
#include "wss/count.h"

/*
 * Without NUMA balancing nobody would handle the fault; and a kernel that keeps books
 * of its page tables (PAGE_TABLE_CHECK) expects entries to change through functions
 * that tell them.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_NUMA_BALANCING) && !defined(CONFIG_PAGE_TABLE_CHECK)
#define FLT_WSS_CAN_WITHHOLD 1
#else
#define FLT_WSS_CAN_WITHHOLD 0
#endif

/* Whether this kernel, on this machine, lets it be done. */
bool flt_wss_can_withhold(void);

/* Whether faults in @vma are the kernel's alone to handle. */
bool flt_wss_withholds(const struct vm_area_struct *vma);

/* @entry is present. True: a CPU could use it until now; false: not, or it was left. */
bool flt_wss_withhold_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			  struct flt_wss_count *count);
bool flt_wss_withhold_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			  struct flt_wss_count *count);
void flt_wss_give_back_pte(pte_t *pte, pte_t entry, const struct vm_area_struct *vma,
			   struct flt_wss_count *count);
void flt_wss_give_back_pmd(pmd_t *pmd, pmd_t entry, const struct vm_area_struct *vma,
			   struct flt_wss_count *count);

#endif
