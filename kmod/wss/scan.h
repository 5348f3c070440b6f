/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss_scan - one look at every page of an address space: whether it was accessed, or
 * whether it came back since it was withheld (protnone.h).
 *
 * mmap_lock is held, for reading, in slices: a slice ends after half a millisecond,
 * or sooner when somebody waits for the lock or for the CPU, so with the longest
 * stretch between two checks (one page table) it stays below one. What is mapped
 * meanwhile behind the scan is not seen, what is unmapped before it neither.
 *
 * A CPU that has a translation cached does not set a bit that was cleared until it
 * loads the translation anew. So the translations are flushed at the end of a scan,
 * where the kernel's function for that can be had; else a page that is in constant
 * use by few pages' worth of code may be missed (FLT_WSS_UNFLUSHED). Withholding
 * cannot do without, and flushes at the end of each slice.
 */
#ifndef FLT_WSS_SCAN_H
#define FLT_WSS_SCAN_H

#include <linux/flt_event.h>
#include <linux/types.h>
#include "wss/walk.h"

struct mm_struct;

struct flt_wss_scan {
	struct flt_wss_count count;
	u64 duration;		/* ns, first slice's begin to last slice's end */
	u64 held, held_max;	/* ns under mmap_lock: in all, longest slice */
	u32 slices;
	u32 flags;		/* FLT_WSS_* */
};

/* The shape of flush_tlb_mm_range(), which modules do not get to see; never defined. */
void flt_wss_flush(struct mm_struct *mm, unsigned long start, unsigned long end,
		   unsigned int stride_shift, bool freed_tables);

void flt_wss_scan_init(void);
/* Whether pages can be withheld on this kernel. */
bool flt_wss_scan_withholds(void);

/*
 * The caller holds a reference to the address space (mm_users), which is given up
 * early if it was the last, or if *@stop (may be NULL). @holds, FLT_BUCKETS of them,
 * count slices by the ns they held mmap_lock; others may read them meanwhile. Sleeps.
 */
void flt_wss_scan(struct mm_struct *mm, enum flt_wss_way way, const bool *stop, u64 *holds,
		  struct flt_wss_scan *scan);

#endif
