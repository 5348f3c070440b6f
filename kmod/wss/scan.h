/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss_scan - visit every page of an address space once, and find out whether it was used
 * since the last scan: by its accessed bit, or by PROT_NONE (protnone.h).
 *
 * mmap_lock is held for reading in slices. A slice ends after half a millisecond, or
 * earlier if another task waits for the lock or for the CPU. The check is made after
 * every page table, so a slice takes less than a millisecond. The scan does not see
 * pages that are mapped behind its position, or unmapped before it arrives.
 *
 * A CPU that has cached a translation does not set a cleared accessed bit again until
 * it reloads the translation. So the TLB is flushed at the end of a scan, if the kernel's
 * flush function can be found. Otherwise a scan may miss pages in constant use
 * (FLT_WSS_UNFLUSHED). PROT_NONE entries require a flush at the end of each slice.
 */
#ifndef FLT_WSS_SCAN_H
#define FLT_WSS_SCAN_H

#include <linux/flt_event.h>
#include <linux/types.h>
#include "wss/walk.h"

struct mm_struct;

struct flt_wss_scan {
	struct flt_wss_count count;
	u64 duration;		/* ns, from the start of the first slice to the end of the last */
	u64 held, held_max;	/* ns with mmap_lock held: sum, and longest slice */
	u32 slices;
	u32 flags;		/* FLT_WSS_* */
};

/* Return true if scans can use PROT_NONE on this kernel (FLT_FEATURE_INJECT). */
bool flt_wss_scan_can_inject(void);

/*
 * Scan @mm. Caller holds a reference (mm_users). The scan stops early with FLT_WSS_CUT if
 * that reference is the last one, if *@stop becomes true (@stop may be NULL), or if
 * mmap_lock cannot be taken. @holds is a histogram with FLT_BUCKETS entries, counting
 * slices by the ns they held mmap_lock; readers may access it meanwhile. May sleep.
 */
void flt_wss_scan(struct mm_struct *mm, enum flt_wss_mode mode, const bool *stop, u64 *holds,
		  struct flt_wss_scan *scan);

#endif
